#!/bin/bash
# redis_get.sh REQUESTS IO_THREADS [PREFIX...] — starts redis-server behind the prefix (xbdbg record ...), asks it for
# REQUESTS values with redis-benchmark, stops it, and prints the requests per second. All on the cores it is given.
set -euo pipefail
requests=$1 io_threads=$2
shift 2
scratch=$(mktemp -d)
socket=$scratch/socket
"$@" redis-server --port 0 --unixsocket "$socket" --save "" --dir "$scratch" --io-threads "$io_threads" \
  >"$scratch/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" || true; rm -rf "$scratch"' EXIT
until redis-cli -s "$socket" ping >/dev/null 2>&1; do
  kill -0 "$server" 2>/dev/null || {
    cat "$scratch/log" >&2
    exit 1
  }
done
redis-benchmark -s "$socket" -n "$requests" -c 20 -t get --csv | sed -n 's/^"GET","\([0-9.]*\)".*/\1/p'
redis-cli -s "$socket" shutdown nosave
wait "$server" || {
  cat "$scratch/log" >&2
  exit 1
}
trap 'rm -rf "$scratch"' EXIT
