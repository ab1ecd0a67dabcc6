#!/bin/bash
# What takes too long for scripts/test.sh: every promise about many runs, in full. Takes hours.
#
# Usage: scripts/soak.sh [STEP...]       steps: determinism real replay suites conformance fuzz; default: all of them
#        XB_SOAK_FUZZ_SECONDS=600        for each fuzz target
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

steps=("$@")
[[ $# -gt 0 ]] || steps=(determinism real replay suites conformance fuzz)
failed=()
xbdbg=build/release/bin/xbdbg

# The same seed gives the same events, schedule and output in 200 runs of every sample.
determinism() { XB_E2E_RUNS=200 ctest --preset release -R Determinism -j2; }

# Real programs from Debian, the default policy and 20 seeds each.
real() { REAL_PROGRAMS_BIN=build/release/bin/real_programs tests/target/real_programs/run_real_programs.sh "$xbdbg" 20; }

# Recorded and replayed twice: every sample and every scenario with 20 seeds, real programs with 5.
replay() {
  local status=0
  tests/target/replay_real/replay_real.py "$xbdbg" --seeds 20 || status=1
  REAL_PROGRAMS_REPLAY=1 REAL_PROGRAMS_BIN=build/release/bin/real_programs \
    tests/target/real_programs/run_real_programs.sh "$xbdbg" 5 || status=1
  return "$status"
}

# glibc's and libstdc++'s thread tests, all of them, with three policies.
suites() {
  local options status=0
  for options in "" "--policy round-robin" "--policy random --seed 1"; do
    echo "-- xbdbg run $options"
    tests/target/conformance/run_public_suites.sh "$xbdbg" build/public_suites --run-options "$options" || status=1
  done
  return "$status"
}

# Our own conformance tests again and again: what fails once in 200 runs fails.
conformance() { ctest --preset release -L conformance --repeat until-fail:40 -j2; }

fuzz() {
  local seconds=${XB_SOAK_FUZZ_SECONDS:-600} status=0 target name folders
  cmake --preset fuzz >/dev/null && cmake --build --preset fuzz || return 1
  for target in build/fuzz/tests/bin/fuzz_*; do
    name=$(basename "$target")
    folders=("build/fuzz/tests/fuzz/$name")
    mkdir -p "${folders[0]}"
    [[ ! -d "tests/fuzz/corpus/$name" ]] || folders+=("tests/fuzz/corpus/$name")
    echo "-- $name"
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
      -artifact_prefix="${folders[0]}/" "${folders[@]}" || status=1
  done
  return "$status"
}

for step in "${steps[@]}"; do
  case $step in
    determinism | real | replay | suites | conformance | fuzz) ;;
    --help | -h)
      sed -n '2,5s/^# \{0,1\}//p' scripts/soak.sh
      exit 0
      ;;
    *)
      echo "soak: unknown step '$step', see scripts/soak.sh --help" >&2
      exit 2
      ;;
  esac
done

scripts/setup.sh build test
cmake --preset release >/dev/null
cmake --build --preset release
for step in "${steps[@]}"; do
  echo
  echo "== $step"
  "$step" || failed+=("$step")
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "soak: FAILED: ${failed[*]}" >&2
  exit 1
fi
echo "soak: all passed"
