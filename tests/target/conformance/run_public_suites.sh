#!/bin/bash
# Runs public thread test suites natively and under `xbdbg run`, and compares: glibc's own nptl tests and libstdc++'s
# 30_threads, both from the Debian source packages. A test that passes natively must pass under xbdbg; the ones that
# fail under xbdbg are therefore run natively, too.
#
# usage: run_public_suites.sh XBDBG WORKDIR [--suite glibc|libstdcxx] [--jobs N] [--filter RE] [--run-options "..."]
#   XBDBG          the xbdbg binary; `none` runs the native part only
#   WORKDIR        sources, test binaries, logs and cached native results; reused by later runs
#   --run-options  passed to `xbdbg run` before `--`, e.g. "--policy random --seed 3"
# glibc's tests run twice: as they are (the test body is in a forked child), and as <test>+direct (in the process itself).
# Exit status: 0 all as natively, 1 some test passes natively and not under xbdbg, 2 could not be set up.
# shellcheck disable=SC2086  # options are words
set -u
here=$(dirname "$(realpath "$0")")
usage() { sed -n '6,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
xbdbg=$1 work=$2
shift 2
suites="glibc libstdcxx" jobs=2 filter=. run_options=
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --suite) suites=$2 ;;
    --jobs) jobs=$2 ;;
    --filter) filter=$2 ;;
    --run-options) run_options=$2 ;;
    *) usage ;;
  esac
  shift 2
done
if [ "$xbdbg" != none ]; then
  [ -x "$xbdbg" ] || { echo "$xbdbg is not an executable" >&2; exit 2; }
  xbdbg=$(realpath "$xbdbg")
fi
mkdir -p "$work"
work=$(realpath "$work")
known=$here/known_failures.txt
export work xbdbg run_options known

# Arguments that the Makefiles of glibc give to single tests.
arguments_of() {
  case $1 in
    glibc/*+direct) echo "--direct" ;;
    glibc/tst-cancel7|glibc/tst-cancelx7) echo "--command" "exec $work/glibc/bin/${1#glibc/}" ;;
    glibc/tst-exec4) echo "$work/$2" ;;
    glibc/tst-mqueue7) echo "-- $work/$2" ;;
    glibc/tst-oddstacklimit) echo "--command" "$work/glibc/bin/tst-basic1" ;;
    glibc/tst-umask1) echo "$work/run/tst-umask1.temp" ;;
  esac
}

# run_test WHERE SECONDS ID COMMAND...: PASS, FAIL, HANG or UNSUPPORTED in results/WHERE/ID, output beside it.
run_test() {
  local where=$1 seconds=$2 id=$3
  shift 3
  local result=$work/results/$where/$id status
  mkdir -p "$(dirname "$result")" "$work/run/$where/$id"
  : > "$work/run/$where/$id/Makefile"  # tst-cancel4 opens one, as the build directory of glibc has
  # The outer braces swallow the shell's own remark about a death by signal.
  { (cd "$work/run/$where/$id" && exec timeout -k 3 "$seconds" "$@") > "$result.log" 2>&1 < /dev/null; } 2>/dev/null
  status=$?
  case $status in
    0) echo PASS ;;
    77) echo UNSUPPORTED ;;
    124|137) echo HANG ;;
    *) echo "FAIL $status" ;;
  esac > "$result"
  rm -rf "$work/run/$where/$id"
}

compare_one() {
  local id=$1 program=${1/\//\/bin/} native under
  program=${program%+direct}
  local first=() rest
  rest=$(arguments_of "$id" "$program")
  case $rest in
    "") ;;
    "--command "*) first=(--command "${rest#--command }") ;;
    *) read -ra first <<< "$rest" ;;
  esac
  # What passes under xbdbg need not be run natively: the promise is one-sided.
  if [ "$xbdbg" != none ]; then
    run_test xbdbg 40 "$id" "$xbdbg" run $run_options -- "$work/$program" "${first[@]}"
    under=$(cat "$work/results/xbdbg/$id")
    if [ "$under" = PASS ]; then echo "PASS $id"; return; fi
  fi
  [ -s "$work/results/native/$id" ] || run_test native 20 "$id" "$work/$program" "${first[@]}"
  native=$(cat "$work/results/native/$id")
  if [ "$native" != PASS ]; then echo "NOT-NATIVE $id (natively: $native)"; return; fi
  if [ "$xbdbg" = none ]; then echo "PASS $id (native only)"
  elif grep -qE "^$(printf %s "$id" | sed 's/[+.]/\\&/g')[[:space:]]+[^[:space:]]" "$known"; then
    echo "KNOWN $id ($under)"
  else echo "${under%% *} $id ($under, see $work/results/xbdbg/$id.log)"; fi
}
export -f run_test compare_one arguments_of

report=$work/report.txt
: > "$report"
for suite in $suites; do
  "$here/public_suites/build_$suite.sh" "$work" "$jobs" "$filter" || exit 2
  sed "s|^|SKIP $suite/|" "$work/$suite/skipped.txt" | grep -E "$filter" >> "$report"
  for program in "$work/$suite"/bin/*; do
    name=$(basename "$program")
    case $name in *.so) continue ;; esac
    echo "$suite/$name"
    [ "$suite" = glibc ] && [ -z "$(arguments_of "glibc/$name" x)" ] && echo "$suite/$name+direct"
  done | grep -E "$filter" | xargs -r -P "$jobs" -I{} bash -c 'compare_one {}' | tee -a "$report"
done
count() { grep -c "^$1 " "$report"; }
echo "$(count PASS) passed, $(count FAIL) failed, $(count HANG) hung, $(count KNOWN) known failures," \
  "$(count NOT-NATIVE) do not pass natively, $(count SKIP) cannot be built (reasons in $report)"
[ "$(grep -cE '^(FAIL|HANG|UNSUPPORTED) ' "$report")" -eq 0 ] && [ "$(count PASS)" -gt 0 ]
