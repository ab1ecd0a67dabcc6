#!/bin/bash
# Ends a program in every way that exit_status knows and compares the exit status with the one it must have.
# usage: check_exit_status.sh EXIT_STATUS [LAUNCHER...]     e.g. check_exit_status.sh ./exit_status xbdbg run --
program=$1
shift
failed=0
while read -r way expected; do
  # The outer braces swallow the shell's own remark about a death by signal.
  { (exec timeout 20 "$@" "$program" "$way") > /dev/null 2>&1 < /dev/null; } 2> /dev/null
  status=$?
  if [ $status -ne "$expected" ]; then
    echo "$way: exit status $status, expected $expected"
    failed=1
  fi
done < <("$program")
exit $failed
