#!/bin/sh
# variants.sh SOURCE STAMP: builds a C++ program and, of it, every kind of file that its symbols can be in. Each variant has a
# folder of its own, in one named as STAMP is, without the `.stamp`:
#
#     plain      the program, debug information and all; every other one but the last has the same code
#     exports    stripped: only .dynsym is left
#     byid       stripped; its debug file is byid/debug/.build-id/xx/yyyy.debug
#     link       stripped, without a build id; its debug file is beside it, under the name in .gnu_debuglink
#     mini       stripped; .gnu_debugdata has the symbols that are not exported
#     zlib, gnu, zstd   debug sections packed
#     fixed      linked to a fixed address
#     unnamed    with debug information, but no symbols at all
#     split      split DWARF: the debug information is in shapes.dwo
#     moved      the same, moved from where it was compiled
#     package4, package5   split DWARF of that version, gathered in shapes.dwp
#     dwz        debug information shared with another file, in dwz/common.debug
#     other      another build
#
# And larger programs beside it, with more in them to compare: words/words of C++, rust/words and rust/words-v0 of Rust.
#
# shapes.addresses beside a program lists its functions: mangled name, address. What the tools here cannot make is left out.
set -eu
source=$(realpath "$1")
sources=$(dirname "$source")
stamp=$(realpath "$2")
rm -rf "${stamp%.stamp}"
mkdir -p "${stamp%.stamp}"
cd "${stamp%.stamp}"
mkdir plain exports byid link mini zlib gnu zstd fixed unnamed split moved package4 package5 dwz other words rust

compile() { g++ -O2 -g -fPIE "$@" -c "$source" -o shapes.o; }
link() { g++ -rdynamic -Wl,--build-id=sha1 shapes.o -o "$@"; }
addresses() { nm "$1" | awk '$2 ~ /^[tTwW]$/ {print $3, $1}' >"$1.addresses"; }

compile
link plain/shapes -pie
link fixed/shapes -no-pie
link link/shapes -pie -Wl,--build-id=none
for variant in plain fixed link; do
    addresses $variant/shapes
done

strip -o exports/shapes plain/shapes
objcopy --strip-all --keep-section='.debug_*' --remove-section=.dynsym plain/shapes unnamed/shapes

strip -o byid/shapes plain/shapes
id=$(readelf -n plain/shapes | awk '/Build ID/ {print $3}')
rest=${id#??}
folder=byid/debug/.build-id/${id%"$rest"}
mkdir -p "$folder"
objcopy --only-keep-debug plain/shapes "$folder/$rest.debug"

objcopy --only-keep-debug link/shapes link/shapes.dbg
objcopy --strip-all link/shapes
(cd link && objcopy --add-gnu-debuglink=shapes.dbg shapes)

# As the manual of gdb describes it.
if command -v xz >/dev/null; then
    nm -D plain/shapes --format=posix --defined-only | awk '{print $1}' | sort >dynamic
    nm plain/shapes --format=posix --defined-only | awk '$2 ~ /^[TtD]$/ {print $1}' | sort >functions
    comm -13 dynamic functions >keep
    objcopy --only-keep-debug plain/shapes minidebug
    objcopy -S --remove-section .comment --keep-symbols=keep minidebug
    xz -f minidebug
    strip --strip-all -R .comment -o mini/shapes plain/shapes
    objcopy --add-section .gnu_debugdata=minidebug.xz mini/shapes
fi

pack() { objcopy --compress-debug-sections="$2" plain/shapes "$1/shapes" || rm -f "$1/shapes"; }
pack zlib zlib-gabi
pack gnu zlib-gnu
pack zstd zstd

split() { compile -gsplit-dwarf "$@" && link shapes -pie && addresses shapes; }
(cd split && split)
mkdir moved/from
(cd moved/from && split && mv shapes shapes.addresses shapes.dwo ..)
rm -r moved/from
# dwp of the GNU tools knows DWARF 4, that of LLVM also 5.
if command -v dwp >/dev/null; then
    (cd package4 && split -gdwarf-4 && dwp -e shapes -o shapes.dwp && rm shapes.dwo)
fi
if command -v llvm-dwp >/dev/null; then
    (cd package5 && split -gdwarf-5 && llvm-dwp -e shapes -o shapes.dwp && rm shapes.dwo)
fi

if command -v dwz >/dev/null; then
    cp plain/shapes dwz/shapes
    cp plain/shapes dwz/again
    (cd dwz && dwz -m common.debug -M common.debug shapes again)
fi

(cd other && compile -DSCALE=4 && link shapes -pie)

g++ -O2 -g -std=c++17 -ffunction-sections "$sources"/words*.cpp -o words/words
if command -v rustc >/dev/null; then
    rustc -O -g "$sources/words.rs" -o rust/words
    rustc -O -g -C symbol-mangling-version=v0 "$sources/words.rs" -o rust/words-v0
fi
touch "$stamp"
