#!/bin/bash
# Installs the Debian packages that are missing; says which. Does nothing, and needs no root, when all are there.
#
# Usage: scripts/setup.sh [GROUP...]      groups: build, test, demo; default: all of them
set -euo pipefail

# The one list of packages, by what they are needed for. Versions are those of Debian 12.
declare -A packages=(
  [build]="g++ cmake ninja-build pkg-config
           libelf-dev libdwarf-dev libcapstone-dev libzstd-dev libxxhash-dev nlohmann-json3-dev
           libcli11-dev libfmt-dev libgtest-dev"
  [test]="clang clang-tidy clang-format libclang-rt-14-dev shellcheck git
          gdb tmux strace coreutils util-linux python3 libgomp1
          pigz pbzip2 lbzip2 bzip2 xz-utils zstd glibc-source gcc-12-source
          redis-server redis-tools memcached sqlite3 curl vim procps bash gcc"
  [demo]="gdb"
)

fail() {
  echo "setup: $*" >&2
  exit 2
}

is_installed() {
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" == installed ]]
}

groups=("$@")
[[ $# -gt 0 ]] || groups=(build test demo)
declare -A wanted=()
for group in "${groups[@]}"; do
  if [[ "$group" == --help || "$group" == -h ]]; then
    sed -n '2,4s/^# \{0,1\}//p' "$0"
    exit 0
  fi
  [[ -n "${packages[$group]:-}" ]] || fail "unknown group '$group' (there are: ${!packages[*]})"
  for package in ${packages[$group]}; do wanted[$package]=1; done
done

command -v dpkg-query >/dev/null ||
  fail "this is not Debian; install what corresponds to: $(printf '%s\n' "${!wanted[@]}" | sort | xargs)"

missing=()
for package in $(printf '%s\n' "${!wanted[@]}" | sort); do
  is_installed "$package" || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ "$(id -u)" != 0 ]]; then
  command -v sudo >/dev/null || fail "some packages are missing; as root, run:
  apt-get update && apt-get install --no-install-recommends -y ${missing[*]}"
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends "${missing[@]}" </dev/null
