#!/bin/bash
# Formats all C and C++ sources with clang-format.
#
# Usage: scripts/format.sh            rewrite the files
#        scripts/format.sh --check    only say which ones would change, and fail if there are any
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

options=(-i)
case "${1:-}" in
  "") ;;
  --check) options=(--dry-run -Werror --ferror-limit=1) ;;
  *)
    sed -n '2,5s/^# \{0,1\}//p' scripts/format.sh
    [[ "$1" == --help || "$1" == -h ]] || exit 2
    exit 0
    ;;
esac
find tracer replay gdbstub explorer ui-tui samples tests \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0 |
  xargs -0 -r clang-format "${options[@]}"
