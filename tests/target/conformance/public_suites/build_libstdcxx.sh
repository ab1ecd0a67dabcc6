#!/bin/bash
# Builds the run-time tests of libstdc++'s 30_threads and of the wait/notify part of 29_atomics (Debian package
# gcc-12-source) with the installed g++, honouring the DejaGnu directives that matter for a plain build.
#
# usage: build_libstdcxx.sh WORKDIR JOBS [FILTER]
# Leaves WORKDIR/libstdcxx/bin/<test> and WORKDIR/libstdcxx/skipped.txt ("<test>: <reason>").
# shellcheck disable=SC2086,SC2012  # flags are words; names have no spaces
set -eu
work=$(realpath "$1")
jobs=$2
tarball=$(ls /usr/src/gcc-12/gcc-12.*.tar.xz 2>/dev/null | head -1)
out=$work/libstdcxx

export filter=${3:-.}  # of libstdcxx/<test>: others are not built
[ "$(cat "$out/.complete" 2>/dev/null)" = "$filter" ] && exit 0
[ -n "$tarball" ] || { echo "missing /usr/src/gcc-12/gcc-12.*.tar.xz: apt-get install gcc-12-source" >&2; exit 2; }
mkdir -p "$work/src/gcc" "$out/obj" "$out/bin"
if [ ! -d "$work/src/gcc/libstdc++-v3/testsuite/util" ]; then
  tar -xf "$tarball" -C "$work/src/gcc" --strip-components=1 --wildcards \
    '*/libstdc++-v3/testsuite/30_threads' '*/libstdc++-v3/testsuite/29_atomics' '*/libstdc++-v3/testsuite/util'
fi
export out suite=$work/src/gcc/libstdc++-v3/testsuite
g++ -w -O1 -g -std=gnu++17 -pthread -I"$suite/util" -c "$suite/util/testsuite_hooks.cc" -o "$out/obj/hooks.o"

compile_test() {
  file=$1
  name=${file#"$suite"/}
  name=$(echo "${name%.cc}" | tr / .)
  grep -qE "$filter" <<< "libstdcxx/$name" || return 0
  grep -qE 'dg-do +run' "$file" || { echo "$name: checks the compiler, not a run"; return 0; }
  grep -qE 'dg-error|target (static|c\+\+98_only)|effective-target (static|c\+\+98_only)' "$file" && {
    echo "$name: static, C++98 or meant to be rejected"; return 0; }
  options=$(sed -nE 's/.*dg-(additional-)?options "([^"]*)".*/\2/p' "$file" | tr '\n' ' ')
  libraries=
  grep -q 'dg-add-options libatomic' "$file" && libraries=-latomic
  if ! g++ -std=gnu++17 -O1 -g -w -pthread $options -DLOCALEDIR='"."' -I"$suite/util" "$file" "$out/obj/hooks.o" \
      -o "$out/bin/$name" $libraries 2>"$out/obj/$name.log"; then
    rm -f "$out/bin/$name"
    reason=$(grep -m1 -E 'error|undefined reference' "$out/obj/$name.log" || tail -1 "$out/obj/$name.log")
    echo "$name: does not build: ${reason##*/}"
  fi
}
export -f compile_test

{ find "$suite/30_threads" -name '*.cc'; grep -rlE 'wait|notify' "$suite/29_atomics" --include='*.cc'; } |
  xargs -r -P "$jobs" -I{} bash -c 'compile_test {}' | sort > "$out/skipped.txt"
echo "$filter" > "$out/.complete"
