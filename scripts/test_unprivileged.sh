#!/bin/bash
# Runs the tests of a build tree that start programs (labels target and e2e) as the user nobody: xbdbg promises to
# need no root, and what works only for root is found here. Called by scripts/test.sh.
#
# Usage: scripts/test_unprivileged.sh BUILD_DIR [LABELS]
set -euo pipefail
umask 022  # nobody must be able to read what is made here
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$(realpath "${1:?which build tree?}")
labels=${2:-^(target|e2e)\$}

if [[ "$(id -u)" != 0 ]]; then
  echo "not needed: you are not root, so all tests run unprivileged"
  exit 0
fi

scratch=$(mktemp -d /tmp/xbdbg-unprivileged-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"

if ! runuser -u nobody -- test -r "$tree/CTestTestfile.cmake"; then
  echo "nobody may not read $tree: building a copy in $scratch"
  mkdir "$scratch/xbdbg"
  tar -c --exclude=./build --exclude=./.git . | tar -x -C "$scratch/xbdbg" --no-same-permissions
  chmod -R go+rX "$scratch/xbdbg"
  (cd "$scratch/xbdbg" && cmake --preset dev >/dev/null && cmake --build --preset dev)
  tree=$scratch/xbdbg/build/dev
fi

# The lists of tests are made on first use, inside the build tree, where nobody may not write; and ctest writes its log
# beside the list: give it a list of its own that refers to the real one.
ctest --test-dir "$tree" -N >/dev/null
mkdir "$scratch/ctest" "$scratch/tmp"
echo "subdirs(\"$tree\")" >"$scratch/ctest/CTestTestfile.cmake"
chown -R nobody: "$scratch/ctest" "$scratch/tmp"
runuser -u nobody -- env HOME="$scratch/tmp" TMPDIR="$scratch/tmp" \
  ctest --test-dir "$scratch/ctest" -L "$labels" --output-on-failure --no-tests=error -j2
