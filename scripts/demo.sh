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
cmake --build --preset release

xbdbg=build/release/bin/xbdbg
sample=build/release/bin/samples/deadlock

# show EXPECTED_STATUS COMMAND...: print the command, run it, and insist on its exit status.
show() {
  local expected=$1 status=0
  shift
  echo
  echo "\$ $*"
  "$@" || status=$?
  echo "(exit status $status)"
  [[ $status == "$expected" ]] || {
    echo "demo: expected exit status $expected" >&2
    exit 1
  }
}

show 0 "$xbdbg" run -- "$sample"

# A seed is a schedule: look for one that deadlocks, then show that it does so every time.
for seed in $(seq 1 1000); do
  status=0
  "$xbdbg" run --policy random --seed "$seed" -- "$sample" >/dev/null 2>&1 || status=$?
  [[ $status != 1 ]] || break
done
show 1 "$xbdbg" run --policy random --seed "$seed" -- "$sample"
show 1 "$xbdbg" run --policy random --seed "$seed" -- "$sample"
