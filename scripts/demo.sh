#!/bin/bash
# Shows what xbdbg does, on a program that sometimes deadlocks. Installs the Debian packages it needs.
#
# Usage: scripts/demo.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") ;;
  --help | -h)
    sed -n '2,4s/^# \{0,1\}//p' scripts/demo.sh
    exit 0
    ;;
  *)
    echo "demo: unknown option '$1', see scripts/demo.sh --help" >&2
    exit 2
    ;;
esac

scripts/setup.sh build demo
echo "== build (the first time takes a minute)"
cmake --preset release >/dev/null
cmake --build --preset release --target xbdbg xbdbg-agent samples

xbdbg=build/release/bin/xbdbg
sample=build/release/bin/samples/deadlock
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf '\n# %s\n' "$@"; }

# show EXPECTED_STATUS COMMAND...: print the command, run it, and insist on its exit status.
show() {
  local expected=$1 status=0
  shift
  echo "\$ $*"
  "$@" || status=$?
  echo "(exit status $status)"
  [[ $status == "$expected" ]] || {
    echo "demo: expected exit status $expected" >&2
    exit 1
  }
}

say "Two threads take two locks in opposite orders (samples/deadlock.c). Mostly that goes well:"
show 0 "$xbdbg" run -- "$sample"

say "A seed is a schedule, always the same one. Looking for a seed that does not go well..."
for seed in $(seq 1 1000); do
  status=0
  "$xbdbg" run --seed "$seed" -- "$sample" >/dev/null 2>&1 || status=$?
  [[ $status != 1 ]] || break
done
echo "seed $seed:"
show 1 "$xbdbg" run --seed "$seed" --save-schedule "$scratch/deadlock.xbs" -- "$sample"

say "The schedule is a small file that leads there again, here and on other machines:"
show 0 grep -v '^build-id' "$scratch/deadlock.xbs"
show 1 "$xbdbg" run --schedule "$scratch/deadlock.xbs" --events "$scratch/events.json" -- "$sample"

say "What happened until then, event by event (the last four of $(wc -l <"$scratch/events.json")):"
show 0 tail -n 4 "$scratch/events.json"

say "Recorded, an execution can be had again without its world: no input, no clock, no network is needed:"
show 1 "$xbdbg" record --seed "$seed" -o "$scratch/trace" -- "$sample"
show 1 "$xbdbg" replay "$scratch/trace"

say "The repaired program does not care about that seed:"
show 0 "$xbdbg" run --seed "$seed" -- "${sample}_fixed"
