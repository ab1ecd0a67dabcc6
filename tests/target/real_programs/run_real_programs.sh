#!/bin/bash
# Runs real multithreaded programs natively and under `xbdbg run`, and compares what they write and how they end.
#
#   run_real_programs.sh XBDBG [SEEDS]   the default policy, and the random one with seeds 1..SEEDS (20)
#
# REAL_PROGRAMS_BIN      folder with the built `openmp` and `cpp20`; they are compiled here when it is not set
# REAL_PROGRAMS_ONLY     run only the cases whose name contains this text
# REAL_PROGRAMS_TIMEOUT  seconds after which a run counts as hung (60)
# REAL_PROGRAMS_REPLAY   if set, the runs are recorded, and each recording is replayed twice and compared with it
# REAL_PROGRAMS_KEEP     if set, the inputs stay, so that a printed command can be repeated
#
# A failure prints the command and what differed. Ends with "N passed, N failed", and 1 if anything failed; 2 if it
# could not start.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
declare -r python=/usr/bin/python3   # Debian's, whatever else is first on the PATH

# name | input: none or pipe | command that turns the result back into the input, or - | command
# {in} and {lines} are input files, {out} a file of this run, which is compared instead of stdout where it is used.
cases() {
  cat <<'EOF'
pigz|none|gzip -dc|pigz -p4 -1 -b128 -c {in}
pigz-pipe|pipe|gzip -dc|pigz -p4 -n -c
pigz-d|none|-|pigz -d -p4 -c {in}.gz
pigz-d-pipe|pipe.gz|-|pigz -d -p4
pbzip2|none|bzip2 -dc|pbzip2 -p4 -b1 -1 -c {in}
pbzip2-pipe|pipe|bzip2 -dc|pbzip2 -p4 -b1 -1 -c
pbzip2-d|none|-|pbzip2 -d -p4 -c {in}.bz2
pbzip2-d-pipe|pipe.bz2|-|pbzip2 -d -p4 -c
lbzip2|none|bzip2 -dc|lbzip2 -n4 -1 -c {in}
lbzip2-pipe|pipe|bzip2 -dc|lbzip2 -n4 -1
lbzip2-d|none|-|lbzip2 -d -n4 -c {in}.bz2
lbzip2-d-pipe|pipe.bz2|-|lbzip2 -d -n4
xz|none|xz -dc|xz -T4 -0 --block-size=128KiB -c {in}
xz-pipe|pipe|xz -dc|xz -T4 -0 --block-size=128KiB -c
xz-d|none|-|xz -d -T4 -c {in}.xz
xz-d-pipe|pipe.xz|-|xz -d -T4
zstd|none|zstd -dc|zstd -T4 -B512KiB -1 -q -f {in} -o {out}
zstd-pipe|pipe|zstd -dc|zstd -T4 -B512KiB -1 -q -c
zstd-d|none|-|zstd -d -T4 -q -c {in}.zst
zstd-d-pipe|pipe.zst|-|zstd -d -T4 -q -c
sort|none|-|sort --parallel=4 -S 96M {lines}
sort-small-buffer|none|-|sort --parallel=4 -S 28M -o {out} {lines}
sort-pipe|pipe.lines|-|sort --parallel=4 -S 96M -n -k2
python|none|-|{python} {here}/threads.py
openmp|none|-|{bin}/openmp
cpp20|none|-|{bin}/cpp20
EOF
}

die() { echo "run_real_programs: $*" >&2; exit 2; }

# make_inputs: the same bytes on every machine. Text that compresses, 2.5 MB (several jobs for zstd, the coarsest);
# and 540,000 short lines (sort uses another thread only for more than 128 Ki of them).
make_inputs() {
  "$python" - "$work/text" "$work/lines" <<'EOF'
import sys
state = 12345
def number(below):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % below
words = ["".join(chr(97 + number(26)) for _ in range(2 + number(9))) for _ in range(3000)]
size = 0
with open(sys.argv[1], "w") as text:
    while size < 2500000:
        line = " ".join(words[number(3000)] for _ in range(12)) + "\n"
        size += text.write(line)
with open(sys.argv[2], "w") as lines:
    for _ in range(540000):
        lines.write("%x %d\n" % (number(65536), number(100000)))
EOF
  head -c 1000000 "$work/text" > "$work/in"   # the slow compressors get by with less
  cp "$work/text" "$work/in.zstd"
  local file
  for file in in in.zstd; do
    gzip -c "$work/$file" > "$work/$file.gz" && xz -T2 -0 --block-size=128KiB -c "$work/$file" > "$work/$file.xz"
    pbzip2 -p2 -b1 -1 -c "$work/$file" > "$work/$file.bz2" && zstd -q -c "$work/$file" > "$work/$file.zst"
  done
}

# input_of CASE: zstd has a lower bound on the size of a job, so it needs the longer text.
input_of() { case $1 in zstd*) echo "$work/in.zstd" ;; *) echo "$work/in" ;; esac; }

# run_case CASE RESULT [prefix...]: runs the case's command behind the prefix. RESULT gets what is compared,
# RESULT.err stderr, RESULT.cmd the command; returns the exit status.
run_case() {
  local name=$1 result=$2; shift 2
  local input verify command source status in
  IFS='|' read -r _ input verify command < <(cases | grep "^$name|")
  in=$(input_of "$name")
  case $input in
    none) source=/dev/null ;;
    pipe.lines) source=$work/lines ;;
    *) source=$in${input#pipe} ;;
  esac
  command=${command//\{in\}/$in}; command=${command//\{lines\}/$work/lines}; command=${command//\{out\}/$result}
  command=${command//\{python\}/$python}; command=${command//\{here\}/$here}
  command=${command//\{bin\}/$REAL_PROGRAMS_BIN}
  local -a words; read -ra words <<< "$command"
  local stdout=$result; [[ " ${words[*]} " == *" $result "* ]] && stdout=$result.stdout
  local -a whole=(timeout -k 5 "${REAL_PROGRAMS_TIMEOUT:-60}" "$@" "${words[@]}")
  echo "${whole[*]} < $source${input:+ ($input)}" > "$result.cmd"
  if [[ $input == none ]]; then
    "${whole[@]}" < /dev/null > "$stdout" 2> "$result.err"; status=$?
  else
    # shellcheck disable=SC2002  # a real pipe, not a redirected file
    cat "$source" | "${whole[@]}" > "$stdout" 2> "$result.err"; status=${PIPESTATUS[1]}
  fi
  [[ $stdout == "$result" || ! -s $stdout ]] || { echo "wrote to stdout" >> "$result.err"; status=254; }
  return "$status"
}

# back_to_input CASE RESULT: does the result turn back into the input?
back_to_input() {
  local verify; IFS='|' read -r _ _ verify _ < <(cases | grep "^$1|")
  [[ $verify == - ]] || $verify < "$2" 2>&1 | cmp -s - "$(input_of "$1")"
}

# replays_alike RESULT: does the recording, replayed without any input, give the same output and end the same, twice?
replays_alike() {
  local result=$1 stdout=$1 status
  [[ -e $result.stdout ]] && stdout=$result.stdout
  for _ in 1 2; do
    timeout -k 5 "${REAL_PROGRAMS_TIMEOUT:-60}" "$XBDBG" replay "$result.trace" \
      < /dev/null > "$result.replay" 2> "$result.replay.err"
    status=$?
    if [[ $status != 0 ]] || ! cmp -s "$stdout" "$result.replay" || ! cmp -s "$result.err" "$result.replay.err"; then
      echo "replayed with status $status" >> "$result.err"
      cat "$result.replay.err" >> "$result.err"
      return 1
    fi
  done
}

# one CASE SEED: one run under xbdbg, compared with the native one; SEED 0 is the default policy.
one() {
  local name=$1 seed=$2 result=$work/$1.$2 problem="" status
  local -a options=(run)
  [[ -z ${REAL_PROGRAMS_REPLAY:-} ]] || options=(record -o "$result.trace")
  [[ $seed == 0 ]] || options+=(--policy random --seed "$seed")
  run_case "$name" "$result" "$XBDBG" "${options[@]}" --
  status=$?
  local native_status; native_status=$(< "$work/$name.native.status")
  if [[ $status == 124 || $status == 137 ]]; then problem="hung (killed after ${REAL_PROGRAMS_TIMEOUT:-60} s)"
  elif [[ $status != "$native_status" ]]; then problem="exit status $status, natively $native_status"
  elif ! cmp -s "$work/$name.native" "$result"; then problem="other output than natively"
  elif ! back_to_input "$name" "$result"; then problem="the result does not turn back into the input"
  elif [[ -n ${REAL_PROGRAMS_REPLAY:-} ]] && ! replays_alike "$result"; then problem="the replay differs"
  fi
  if [[ -z $problem ]]; then
    echo pass >> "$work/verdicts"; rm -rf "$result" "$result".*
  else
    { echo "FAILED $name, seed $seed: $problem"; sed 's/^/  /' "$result.cmd"
      head -n 20 "$result.err" | sed 's/^/  stderr: /'; } >&2
    echo fail >> "$work/verdicts"
  fi
}

if [[ ${1:-} == --one ]]; then one "$2" "$3"; exit 0; fi

[[ $# -ge 1 && -x $1 ]] || die "usage: run_real_programs.sh XBDBG [SEEDS]"
XBDBG=$(realpath "$1"); seeds=${2:-20}
for tool in pigz pbzip2 lbzip2 xz zstd sort gzip bzip2 "$python"; do
  command -v "$tool" > /dev/null ||
    die "$tool is missing; try: apt-get install pigz pbzip2 lbzip2 xz-utils zstd bzip2 gzip coreutils python3"
done
work=$(mktemp -d) || die "no temporary folder"
if [[ -z ${REAL_PROGRAMS_KEEP:-} ]]; then trap 'rm -rf "$work"' EXIT; fi
if [[ -z ${REAL_PROGRAMS_BIN:-} ]]; then
  REAL_PROGRAMS_BIN=$work
  g++ -std=c++20 -O2 -g -fopenmp "$here/openmp.cc" -o "$work/openmp" || die "openmp.cc does not compile"
  g++ -std=c++20 -O2 -g -pthread "$here/cpp20.cc" -o "$work/cpp20" || die "cpp20.cc does not compile"
fi
export XBDBG work REAL_PROGRAMS_BIN LC_ALL=C TMPDIR=$work
unset XZ_OPT XZ_DEFAULTS GZIP PIGZ ZSTD_CLEVEL ZSTD_NBTHREADS OMP_NUM_THREADS
make_inputs || die "cannot make the inputs"

names=$(cases | cut -d'|' -f1 | grep -F -- "${REAL_PROGRAMS_ONLY:-}")
for name in $names; do
  run_case "$name" "$work/$name.native"; echo $? > "$work/$name.native.status"
  [[ $(< "$work/$name.native.status") == 0 ]] || die "natively, $name fails: $(cat "$work/$name.native.cmd")"
  back_to_input "$name" "$work/$name.native" || die "natively, the result of $name does not turn back into the input"
done
: > "$work/verdicts"
for name in $names; do
  for ((seed = 0; seed <= seeds; seed++)); do echo "$name $seed"; done
done | xargs -P 2 -n 2 bash "${BASH_SOURCE[0]}" --one
passed=$(grep -c pass "$work/verdicts"); failed=$(grep -c fail "$work/verdicts")
echo "$passed passed, $failed failed"
[[ $failed == 0 && $passed -gt 0 ]]
