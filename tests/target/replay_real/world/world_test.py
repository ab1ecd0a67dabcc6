#!/usr/bin/env python3
"""A replay takes nothing from the world and does nothing to it.

  world_test.py XBDBG WATCH

Records a program that reads files, the clock, the network and random numbers, and that writes files and starts a
process; takes all that away; replays the recording in another directory under `watch` (watch.cc). The replay must
write the same, end the same, open no socket, and change no file outside the trace's directory.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness import Outcome, free_port, wait_for, answers, read  # noqa: E402  pylint: disable=wrong-import-position

PYTHON = "/usr/bin/python3"
NETWORK = {"socket", "connect", "bind", "listen", "accept", "accept4"}
# Devices; the memory of the target, which xbdbg writes to start it; xbdbg's own scratch folder.
HARMLESS = re.compile(r"/dev/(null|tty)|/proc/\d+/mem|(?P<scratch>/tmp/xbdbg-\w{6})(/.*)?")
SECONDS = 60


def run(argv, cwd):
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def record(xbdbg, trace, place):
    """In `place`, which is gone afterwards, as is the server."""
    os.makedirs(place)
    with open(os.path.join(place, "input"), "w", encoding="utf-8") as file:
        file.write("what the program reads, more than once\n")
    port = free_port()
    server = subprocess.Popen([PYTHON, os.path.join(HERE, "../programs/http_server.py"), str(port)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for("the web server", lambda: answers(port))
        return run([xbdbg, "record", "-o", trace, "--", PYTHON, os.path.join(HERE, "inputs.py"), "input", str(port)],
                   place)
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(place)


def touched(log, trace):
    """The lines of the log that say that the world was touched."""
    def is_harmless(line):
        words = line.split(" ", 2)
        if words[1] in NETWORK:
            return False
        path = os.path.normpath(words[2])
        match = HARMLESS.fullmatch(path)
        if match and match["scratch"]:
            return not os.path.exists(match["scratch"])   # it cleans up
        return match is not None or path == trace or path.startswith(trace + "/")
    return [line for line in read(log).decode(errors="replace").splitlines() if not is_harmless(line)]


def problems(xbdbg, watch, work):
    trace, elsewhere, log = (os.path.join(work, name) for name in ("trace", "elsewhere", "log"))
    recorded = record(xbdbg, trace, os.path.join(work, "place"))
    if recorded.status != 7 or b"threads" not in recorded.out:
        yield f"the recording ended with {recorded.status}: {recorded.err.decode(errors='replace')}"
        return
    os.makedirs(elsewhere)
    replayed = run([watch, log, xbdbg, "replay", trace], elsewhere)
    if recorded.difference(replayed):
        yield f"the replay: {recorded.difference(replayed)}\n{replayed.err.decode(errors='replace')}"
    if os.listdir(elsewhere):
        yield f"the replay left {os.listdir(elsewhere)}"
    yield from (f"the replay touched the world: {line}" for line in touched(log, trace))
    # Would we have noticed?
    run([watch, log, xbdbg, "run", "--", "touch", "file"], elsewhere)
    if not touched(log, trace):
        yield "watch does not see what a program does under xbdbg run"


def main():
    xbdbg, watch = (os.path.realpath(path) for path in sys.argv[1:3])
    work = os.path.realpath(tempfile.mkdtemp(prefix="xb-world-"))
    try:
        found = list(problems(xbdbg, watch, work))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("\n".join(found) or "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
