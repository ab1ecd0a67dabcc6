#!/bin/bash
# Measures xbdbg (release build): runs every benchmark program, build/release/bin/bench_*. Numbers depend on the
# machine; what the project promises are ratios, which the programs print and check: ends with 1 when one is missed.
#
# Usage: scripts/bench.sh [NAME...] [-- OPTIONS of the programs]       e.g. scripts/bench.sh foundation -- --json
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

names=()
while [[ $# -gt 0 && "$1" != -- ]]; do
  if [[ "$1" == --help || "$1" == -h ]]; then
    sed -n '2,5s/^# \{0,1\}//p' scripts/bench.sh
    exit 0
  fi
  names+=("$1")
  shift
done
[[ $# -eq 0 ]] || shift

# To stderr: with --json, stdout is for programs.
{
  scripts/setup.sh build
  cmake --preset release
  cmake --build --preset release --target xb_benchmarks
} >&2

programs=()
if [[ ${#names[@]} -gt 0 ]]; then
  for name in "${names[@]}"; do programs+=("build/release/bin/bench_$name"); done
else
  shopt -s nullglob
  programs=(build/release/bin/bench_*)
fi
[[ ${#programs[@]} -gt 0 ]] || {
  echo "bench: there is no build/release/bin/bench_*" >&2
  exit 1
}
status=0
for program in "${programs[@]}"; do
  echo "== $program" >&2
  "$program" "$@" || status=1
done
exit "$status"
