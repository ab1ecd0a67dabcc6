#!/bin/bash
# Runs one program of programs/ in every way, and checks that a replay of its recording is the recording.
#
# usage: run_program.sh XBDBG PROGRAM SOURCE [PHASE...]
#
# The phases, by default all of them, in this order:
#   native    the program itself: it must end as it should (status 0 and EXIT-SUCCESS, or as its source says)
#   run       the same under `xbdbg run`
#   record    the same under `xbdbg record`
#   replay    `xbdbg replay`, twice, elsewhere, with other environment and input, after the program's folder is
#             gone: output, errors and exit status must be those of the recording
#
# A program that is listed in known_failures.txt must fail in the phase that is given there.
set -u
xbdbg=$1 program=$2 source=$3
shift 3
phases=("$@")
[ ${#phases[@]} -gt 0 ] || phases=(native run record replay)
name=$(basename "$program")
known=$(dirname "${BASH_SOURCE[0]}")/known_failures.txt
expected=$(sed -n 's|^// ends: \([0-9]*\).*|\1|p' "$source" | head -1)
limit=${XB_PROGRAM_TIMEOUT:-30}

folder=$(mktemp -d "${TMPDIR:-/tmp}/xb-replay-$name.XXXXXX") || exit 2
trap 'rm -rf "$folder"' EXIT
ulimit -c 0

# run_as PHASE FOLDER INPUT COMMAND...: the outcome is in $folder/PHASE.{out,err,status}.
run_as() {
  local phase=$1 where=$2 input=$3
  shift 3
  { (cd "$where" && exec env XB_PROGRAM_WORLD="$phase" timeout -k 5 "$limit" "$@") \
    < "$input" > "$folder/$phase.out" 2> "$folder/$phase.err.all"; } 2> "$folder/shell"
  echo $? > "$folder/$phase.status"
  grep -v '^xbdbg: ' "$folder/$phase.err.all" > "$folder/$phase.err"
}

# complain PHASE TEXT: the reason, and what the phase printed.
complain() {
  echo "$name: phase $1 failed: $2"
  tail -n 20 "$folder/$1.out" | sed 's/^/  out: /'
  tail -n 30 "$folder/$1.err.all" | sed 's/^/  err: /'
  return 1
}

ended_well() {
  local phase=$1 status
  status=$(cat "$folder/$phase.status")
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ] && [ "${expected:-0}" -ne "$status" ]; then
    complain "$phase" "not done after $limit s"
  elif [ "$status" -ne "${expected:-0}" ]; then
    complain "$phase" "exit status $status, expected ${expected:-0}"
  elif [ -z "$expected" ] && ! grep -qx EXIT-SUCCESS "$folder/$phase.out"; then
    complain "$phase" "no EXIT-SUCCESS"
  fi
}

# A fresh folder for the program, and input through a pipe that ends.
in_scratch() {
  local phase=$1
  shift
  rm -rf "$folder/scratch"
  mkdir "$folder/scratch"
  run_as "$phase" "$folder/scratch" <(printf 'first line\nsecond line\nlast line\n') "$@"
  rm -rf "$folder/scratch"
  ended_well "$phase"
}

same_as_recorded() {
  local phase=$1 what
  for what in status out err; do
    if ! cmp -s "$folder/record.$what" "$folder/$phase.$what"; then
      diff -a "$folder/record.$what" "$folder/$phase.$what" | head -10 | sed "s/^/  $what: /"
      complain "$phase" "$what differs from the recording's"
      return 1
    fi
  done
}

replay_twice() {
  local phase
  mkdir -p "$folder/elsewhere"
  for phase in replay1 replay2; do
    run_as $phase "$folder/elsewhere" /dev/null "$xbdbg" replay "$folder/trace"
    same_as_recorded $phase || return 1
    if [ -n "$(ls -A "$folder/elsewhere")" ]; then
      complain $phase "the replay made files: $(ls "$folder/elsewhere")"
      return 1
    fi
  done
}

run_phase() {
  case $1 in
    native) in_scratch native "$program" ;;
    run) in_scratch run "$xbdbg" run -- "$program" ;;
    record) in_scratch record "$xbdbg" record -o "$folder/trace" -- "$program" ;;
    replay) replay_twice ;;
    *) echo "no such phase: $1" && exit 2 ;;
  esac
}

listed=$(sed -n "s/^$name \([a-z]*\) .*/\1/p" "$known")
for phase in "${phases[@]}"; do
  if [ "$phase" = "$listed" ]; then
    if run_phase "$phase"; then
      echo "$name: phase $phase passes: take it out of known_failures.txt"
      exit 1
    fi
    echo "$name: known failure: $(sed -n "s/^$name [a-z]* //p" "$known")"
    exit 0
  fi
  run_phase "$phase" || exit 1
done
echo "$name: ${phases[*]}: good"
