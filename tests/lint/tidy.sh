#!/bin/bash
# Runs clang-tidy over our sources (not tests, not samples), two at a time. A file that was clean is not looked at
# again until it, a header it includes, its flags or the rules change: the stamps are in BUILD_DIR/tidy.
#
# Usage: tests/lint/tidy.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "${1:?which build tree?}")
export build
mkdir -p "$build/tidy"

# tidy SOURCE, COMMAND that compiles it
tidy() {
  local source=$1 command=$2 key stamp
  # What the compiler sees (and the comments: NOLINT is one), its flags, and the rules.
  key=$({
    echo "$command"
    (cd "$build" && eval "${command%% -o *} -E -C ${command##* -c }")
    cat .clang-tidy "$(dirname "$source")/.clang-tidy" 2>/dev/null || true
    clang-tidy --version
  } | sha256sum | cut -c1-32)
  stamp=$build/tidy/${source//\//_}.$key
  [[ ! -e "$stamp" ]] || return 0
  rm -f "$build/tidy/${source//\//_}".*
  echo "clang-tidy $source"
  clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-Wno-ignored-optimization-argument "$source" 2>/dev/null || return 1
  touch "$stamp"
}
export -f tidy

# shellcheck disable=SC2016  # expanded by the inner shell
python3 - "$build/compile_commands.json" "$PWD" <<'PYTHON' | xargs -0 -r -n 2 -P 2 bash -c 'tidy "$0" "$1"'
import json, os, re, sys
seen = set()
for entry in json.load(open(sys.argv[1])):
    path = os.path.relpath(entry["file"], sys.argv[2])
    if re.match(r"(tracer|replay|gdbstub|explorer|ui-tui)/.*\.cc?$", path) and path not in seen:
        seen.add(path)
        sys.stdout.write(path + "\0" + entry["command"] + "\0")
PYTHON
