# Completion of sonde for fish.

set -l commands record ctl view info tree functions lines markers calls symbolicate convert recover help
set -l strategies timing cpu js-allocations native-allocations native-retained-allocations native-deallocations-memory native-deallocations-sites
set -l transforms focus-subtree: focus-function: focus-self: focus-category: merge-call-node: merge-function: drop-function: collapse-resource: collapse-recursion: collapse-direct-recursion: collapse-function-subtree: keep-matching: drop-matching: merge-matching: collapse-matching: filter-samples:marker-search: filter-samples:outside-marker: filter-samples:function-include: filter-samples:stack-prefix: filter-samples:stack-suffix:

set -l none "not __fish_seen_subcommand_from $commands"
complete -c sonde -n "$none" -f
complete -c sonde -n "$none" -a record -d 'run a program, record it, and write the profile'
complete -c sonde -n "$none" -a ctl -d 'pause, stop or dump a session that is being recorded'
complete -c sonde -n "$none" -a view -d 'a profile in a browser'
complete -c sonde -n "$none" -a info -d 'what is in a profile'
complete -c sonde -n "$none" -a tree -d 'the call tree, top-down or bottom-up'
complete -c sonde -n "$none" -a functions -d 'every function with self and total'
complete -c sonde -n "$none" -a lines -d 'samples per source line'
complete -c sonde -n "$none" -a markers -d 'markers, one by one or by name'
complete -c sonde -n "$none" -a calls -d 'timed calls, from samples and events'
complete -c sonde -n "$none" -a symbolicate -d 'names, files and lines from local binaries and debug files'
complete -c sonde -n "$none" -a convert -d 'the profile in another format'
complete -c sonde -n "$none" -a recover -d 'a profile from the session of a recording that was cut off'
complete -c sonde -n "$none" -a help -d 'what there is'
complete -c sonde -n "$none" -l version -d 'the version'
complete -c sonde -s h -l help -d 'the options, with examples'

set -l choosing '__fish_seen_subcommand_from tree functions lines markers calls'
complete -c sonde -n "$choosing; or __fish_seen_subcommand_from convert" -s t -l thread -x -a all -d 'handle or name of a thread'
complete -c sonde -n "$choosing" -s r -l range -x -d 'A,B in seconds'
complete -c sonde -n "$choosing" -l implementation -x -a 'combined js cpp' -d 'which frames are shown'
complete -c sonde -n "$choosing" -l search -x -d 'only samples or calls with a matching name'
complete -c sonde -n "$choosing" -s T -l transform -x -a "$transforms" -d 'change the tree'
complete -c sonde -n "$choosing" -s i -l invert -d 'bottom-up'
complete -c sonde -n "$choosing" -l exclude-idle -d 'without idle samples'
complete -c sonde -n "$choosing" -l select -x -d 'a node to follow'
complete -c sonde -n "$choosing" -l strategy -x -a "$strategies" -d 'what is counted'
complete -c sonde -n "$choosing" -l depth -x -d 'at most N levels of a tree'
complete -c sonde -n "$choosing" -l min -x -d 'only what has this share of the total'

set -l output "$choosing; or __fish_seen_subcommand_from info"
complete -c sonde -n "$output" -l limit -x -d 'at most N rows'
complete -c sonde -n "$output" -l width -x -d 'shorten lines, 0 = never'
complete -c sonde -n "$output" -l json -d 'machine-readable output'

complete -c sonde -n '__fish_seen_subcommand_from lines' -s f -l function -x -d 'handle or name of the function'
complete -c sonde -n '__fish_seen_subcommand_from lines' -l file -x -d 'all functions of a source file'
complete -c sonde -n '__fish_seen_subcommand_from lines' -l asm -d 'instructions instead of lines'
complete -c sonde -n '__fish_seen_subcommand_from lines' -l syntax -x -a 'intel att' -d 'how instructions of x86 are written'
complete -c sonde -n '__fish_seen_subcommand_from lines view' -l source-dir -x -a '(__fish_complete_directories)' -d 'look here first for source files'
complete -c sonde -n '__fish_seen_subcommand_from lines' -l symbol-dir -x -a '(__fish_complete_directories)' -d 'look here first'
complete -c sonde -n '__fish_seen_subcommand_from markers' -s l -l list -d 'one marker per line'
complete -c sonde -n '__fish_seen_subcommand_from calls' -l rules -x -a 'newest 0.0.65' -d 'as which engine of DevTools'
complete -c sonde -n '__fish_seen_subcommand_from calls' -l show-all -d 'internals, too'
complete -c sonde -n '__fish_seen_subcommand_from calls' -l tree -x -a 'top-down bottom-up log' -d 'calls and events added up'
complete -c sonde -n '__fish_seen_subcommand_from calls' -l group -x -a 'url category frame' -d 'the first level of a tree'
complete -c sonde -n '__fish_seen_subcommand_from convert ctl record recover symbolicate' -s o -l output -r -d 'where to write'
complete -c sonde -n '__fish_seen_subcommand_from convert' -l to -x -a 'processed folded chrome auto' -d 'the format'

complete -c sonde -n '__fish_seen_subcommand_from view' -l firefox -d 'in the Firefox Profiler'
complete -c sonde -n '__fish_seen_subcommand_from view' -l port -x -d 'serve at this port'
complete -c sonde -n '__fish_seen_subcommand_from view' -l no-open -d 'print the address only'

set -l symbols '__fish_seen_subcommand_from ctl record recover symbolicate view'
complete -c sonde -n "$symbols" -l symbol-dir -x -a '(__fish_complete_directories)' -d 'look here first'
complete -c sonde -n "$symbols" -l mangled -d 'leave names as they are in the file'
complete -c sonde -n "$symbols" -l no-cache -d 'neither read nor write the cache'

complete -c sonde -n '__fish_seen_subcommand_from ctl' -a 'status pause resume stop dump' -d 'what to do'

set -l record '__fish_seen_subcommand_from record'
complete -c sonde -n "$record" -s s -l save-only -d 'write the profile and show nothing of it'
complete -c sonde -n "$record" -s r -l rate -x -d 'samples a second'
complete -c sonde -n "$record" -s d -l duration -x -d 'stop recording after this many seconds'
complete -c sonde -n "$record" -l buffer-size -x -d 'keep at most this much'
complete -c sonde -n "$record" -l features -x -a 'default all' -d 'what to record'
complete -c sonde -n "$record" -l threads -x -d 'only threads with these names'
complete -c sonde -n "$record" -l session -x -a '(__fish_complete_directories)' -d 'where the recording lives'
complete -c sonde -n "$record" -l no-children -d 'record the program only'
complete -c sonde -n '__fish_seen_subcommand_from ctl record' -l no-symbols -d 'leave functions as addresses'
complete -c sonde -n '__fish_seen_subcommand_from record recover' -l gecko -d 'write the Gecko format'
complete -c sonde -n "$record" -a '(__fish_complete_subcommand)'
