#!/bin/bash
# Runs the tests of a build tree that start programs (labels target and e2e) as the user nobody: xbdbg promises to
# need no root, and what works only for root is found here. Called by scripts/test.sh.
#
# Usage: scripts/test_unprivileged.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
tree=$(realpath "${1:?which build tree?}")

if [[ "$(id -u)" != 0 ]]; then
  echo "not needed: you are not root, so all tests run unprivileged"
  exit 0
fi

# The lists of tests are made on first use, inside the build tree, where nobody may not write.
ctest --test-dir "$tree" -N >/dev/null

scratch=$(mktemp -d /tmp/xbdbg-unprivileged-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/ctest" "$scratch/tmp"
# ctest writes its log beside the list of tests: give it a list of its own that refers to the real one.
echo "subdirs(\"$tree\")" >"$scratch/ctest/CTestTestfile.cmake"
chown -R nobody: "$scratch"

run=(runuser -u nobody -- env HOME="$scratch/tmp" TMPDIR="$scratch/tmp"
  ctest --test-dir "$scratch/ctest" -L '^(target|e2e)$' --output-on-failure --no-tests=error -j2)

if runuser -u nobody -- test -r "$tree/CTestTestfile.cmake"; then
  "${run[@]}"
  exit
fi

# The repository is inside a private folder, such as /root. In a mount namespace of our own, an empty folder takes the
# place of the topmost private one, and holds nothing but the repository.
IFS=/ read -ra parts <<<"${tree#/}"
private=
for part in "${parts[@]}"; do
  private+=/$part
  runuser -u nobody -- test -x "$private" || break
done
export root private scratch
if ! unshare --mount true 2>/dev/null; then
  echo "cannot: nobody may not enter $private, and this container forbids mount namespaces;" \
    "clone the repository to a folder that everybody may read"
  exit 1
fi
# shellcheck disable=SC2016  # expanded by the inner shell
unshare --mount bash -c '
  set -euo pipefail
  mkdir "$scratch/repository"
  mount --bind "$root" "$scratch/repository"
  mount -t tmpfs -o mode=755 tmpfs "$private"
  mkdir -p "$root"
  mount --move "$scratch/repository" "$root" 2>/dev/null || mount --bind "$scratch/repository" "$root"
  cd "$root"
  exec "$@"' bash "${run[@]}"
