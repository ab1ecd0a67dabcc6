#!/bin/bash
# Builds xbdbg and runs its tests. Installs the Debian packages it needs (scripts/setup.sh).
#
# Usage: scripts/test.sh              everything; ends with the summary of ctest
#        scripts/test.sh --quick      only the unit tests and the lint tests that take no time
#        scripts/test.sh --help
# shellcheck disable=SC2317  # the functions are called through step
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

quick=no
case "${1:-}" in
  "") ;;
  --quick) quick=yes ;;
  --help | -h)
    sed -n '2,6s/^# \{0,1\}//p' scripts/test.sh
    exit 0
    ;;
  *)
    echo "test: unknown option '$1', see scripts/test.sh --help" >&2
    exit 2
    ;;
esac

failed=()

# step NAME COMMAND...: all steps run, whatever the ones before them did.
step() {
  echo
  echo "== $1"
  local name=$1
  shift
  "$@" || failed+=("$name")
}

build() {
  local preset=$1
  shift
  cmake --preset "$preset" >/dev/null && cmake --build --preset "$preset" "$@"
}

nothing_to_do_when_built_again() {
  local output
  output=$(cmake --build --preset dev) || return 1
  grep -q 'ninja: no work to do' <<<"$output" || {
    echo "test: the second build did something: $output" >&2
    return 1
  }
  echo "ok"
}

sanitized_tests() {
  build asan --target xb_tests_unit xb_tests_e2e && XB_E2E_RUNS=2 ctest --preset asan -L '^(unit|e2e)$' -j2
}
fuzz_smoke() { build fuzz && ctest --preset fuzz -j2; }
unprivileged_tests() { XB_E2E_RUNS=3 scripts/test_unprivileged.sh build/dev; }

finish() {
  [[ ${#failed[@]} -eq 0 ]] || {
    echo "test: FAILED: $(printf '%s; ' "${failed[@]}")" >&2
    exit 1
  }
  exit 0
}

scripts/setup.sh build test

if [[ "$quick" == yes ]]; then
  build dev --target xb_tests_unit xb_tests_lint
  step "unit and lint tests" ctest --preset dev -L '^(unit|lint)$' -LE slow -j2
  finish
fi

echo "== build"
build dev
step "building again does nothing" nothing_to_do_when_built_again
step "unit and end-to-end tests with ASan and UBSan" sanitized_tests
step "fuzz smoke" fuzz_smoke
step "target and end-to-end tests as an unprivileged user" unprivileged_tests
step "all tests" ctest --preset dev -j2
finish
