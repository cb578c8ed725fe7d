# Completion of sonde for bash.

_sonde() {
    local cur prev command
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    command=${COMP_WORDS[1]}
    COMPREPLY=()

    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'record ctl view info top tree butterfly functions lines leaks diff markers calls symbolicate convert report recover help --help --version' -- "$cur")
        return
    fi

    # After the command that is to be recorded, its own completion would follow; files are the best guess.
    if [ "$command" = record ]; then
        local word at
        for ((at = 2; at < COMP_CWORD; at++)); do
            word=${COMP_WORDS[at]}
            case $word in
            --output | -o | --rate | -r | --duration | -d | --buffer-size | --features | --threads | --session | --symbol-dir) ((at++)) ;;
            -*) ;;
            *)
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                return
                ;;
            esac
        done
        if [[ $cur != -* && $prev != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
            return
        fi
    fi

    # `--name=value` arrives as three words, or as two where the value is still empty.
    [ "$cur" != = ] || cur=
    [ "$prev" != = ] || prev=${COMP_WORDS[COMP_CWORD - 2]}
    local values=
    case $prev in
    --implementation) values='combined js cpp' ;;
    --strategy)
        values='timing time samples cpu js-allocations native-allocations native-retained-allocations native-deallocations-memory
            native-deallocations-sites native-peak-allocations native-leaked-allocations native-temporary-allocations page-faults'
        ;;
    --rules) values='newest 0.0.65' ;;
    --tree) values='top-down bottom-up log' ;;
    --group)
        values='library file category class size thread'
        [ "$command" != calls ] || values='url category frame'
        [ "$command" != markers ] || values='name category type thread'
        ;;
    --percent) values='total parent' ;;
    --color) values='auto always never' ;;
    --sort)
        values='self total name library'
        [ "$command" != markers ] || values='count total self min median avg p95 max name start duration'
        [ "$command" != calls ] || values='start duration total self count name'
        [ "$command" != diff ] || values='self total name p'
        ;;
    --to) values='processed folded chrome pprof auto' ;;
    --transform | -T)
        compopt -o nospace
        values='focus-subtree: focus-function: focus-self: focus-category: merge-call-node: merge-function: drop-function:
            collapse-resource: collapse-recursion: collapse-direct-recursion: collapse-function-subtree:
            keep-matching: drop-matching: merge-matching: collapse-matching: filter-samples:marker-search: filter-samples:outside-marker: filter-samples:function-include:
            filter-samples:stack-prefix: filter-samples:stack-suffix:'
        ;;
    --thread | -t) values=all ;;
    --at | --base-at) values=peak ;;
    --per) values='run share function: marker:' ;;
    --fail-if) values='slower faster different function-slower function-faster function-different' ;;
    --features) values='default all' ;;
    --rate | --duration | -d | --buffer-size | --threads | --port) return ;;
    --range | -r | --younger-than | --fail-above | --base-range | --noise | --level | --during | --search | --select | --limit | --depth | --min | --min-duration | --width | --function | -f | --match | -m) return ;;
    esac
    if [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
        return
    fi

    if [[ $cur != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
    fi
    local selection='--thread --range --during --implementation --search --transform --invert --exclude-idle --select --strategy --thin --event'
    local allocations='--at --blocks --younger-than'
    local symbols='--symbol-dir --mangled --no-cache'
    local output='--limit --depth --min --full-names --width --color --no-pager --json'
    case $command in
    info) values='--limit --width --color --no-pager --json' ;;
    top) values="--source-dir --symbol-dir --full-names --color $selection $allocations" ;;
    tree | butterfly) values="--group --percent $selection $allocations $output" ;;
    functions) values="--match --sort --reverse --group $selection $allocations $output" ;;
    lines) values="--function --file --asm --syntax --source-dir --symbol-dir $selection $allocations $output" ;;
    leaks) values="--fail-above --all $selection $output" ;;
    diff) values="--per --tree --all --sort --base --new --base-range --base-at --noise --level --fail-if --output --group $selection $allocations $output" ;;
    markers) values="--list --group --sort --reverse --min-duration --histogram $selection $output" ;;
    calls) values="--rules --show-all --tree --group --sort --reverse --min-duration $selection $output" ;;
    view) values="--diff --firefox --port --no-open --source-dir $symbols" ;;
    convert) values='--output --to --thread --strategy --thin --event' ;;
    report) values="--output --diff $symbols $selection" ;;
    symbolicate) values="--output $symbols" ;;
    recover) values="--output --gecko $symbols" ;;
    ctl) values="--output --no-symbols $symbols" ;;
    record)
        values='--output --save-only --no-view --rate --duration --buffer-size --features --threads --allocations --page-faults --node-markers --session'
        values+=" --no-children --gecko --no-symbols $symbols"
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$values --help" -- "$cur")
}
complete -F _sonde sonde
