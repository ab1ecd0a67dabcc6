"""What the scenarios of replay_real.py are made of: start a program, drive it, compare its replays with it.

A scenario is a function that gets a Session: it starts one program with session.start(), does to it what its users
would, and returns. The harness then waits for the program to end, replays the recording twice, in another directory
and with nothing to read, and compares. In the modes `native` and `run` the same scenario runs without xbdbg and under
`xbdbg run`, which shows whether the scenario itself is right. Nothing sleeps for a while and hopes: see wait_for.
"""
import os
import signal
import socket
import subprocess
import time

POLL_SECONDS = 0.02
SCENARIOS = []


class Failed(Exception):
    """The scenario did not go as it should; the text says how."""


class Skipped(Exception):
    """The scenario cannot run here; the text says why."""


def scenario(name, ci=False, seeds=False):
    """Registers a function. ci: short enough for scripts/test.sh. seeds: its schedule matters, so try several."""
    def register(function):
        SCENARIOS.append({"name": name, "ci": ci, "seeds": seeds, "function": function})
        return function
    return register


def wait_for(what, ask, seconds=60):
    """Asks until the answer is true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failed(f"waited {seconds} s in vain for {what}")
        time.sleep(POLL_SECONDS)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def native(argv, cwd=None, seconds=60):
    """Runs a helper to its end; it must succeed. Returns its output."""
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(argv)}: status {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    return done.stdout


class Outcome:
    """How a program ended and what it wrote."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def difference(self, other):
        """None, or what differs in `other`."""
        for name, mine, its in (("status", self.status, other.status), ("stdout", self.out, other.out),
                                ("stderr", self.err, other.err)):
            if mine != its:
                return f"{name} {_at_difference(mine, its)}" if name != "status" else f"status {its}, recorded {mine}"
        return None


def _at_difference(mine, its):
    at = next((i for i, (a, b) in enumerate(zip(mine, its)) if a != b), min(len(mine), len(its)))
    start = max(0, at - 40)
    return (f"differs at byte {at} ({len(its)} bytes, recorded {len(mine)}): "
            f"{its[start:at + 200]!r}, recorded {mine[start:at + 200]!r}")


class Session:
    """One execution of one scenario, in a directory of its own."""

    def __init__(self, mode, xbdbg, work, options, timeout):
        self.mode, self.xbdbg, self.work, self.options, self.timeout = mode, xbdbg, work, options, timeout
        self.trace = os.path.join(work, "trace")
        self.compared = None      # a scenario that knows better what was shown than the pipes do puts an Outcome here
        self.one_stream = False   # stdout and stderr go to the same place, in their order
        self.expected = {0}       # exit statuses, negative: of death by a signal; None: any
        self.process = None
        self._started = []
        os.makedirs(self.path("w"))

    def path(self, *names):
        return os.path.join(self.work, *names)

    def prefix(self):
        """What stands before the program's command line."""
        if self.mode == "native":
            return []
        if self.mode == "run":
            return [self.xbdbg, "run", *self.options, "--"]
        return [self.xbdbg, "record", *self.options, "-o", self.trace, "--"]

    def start(self, argv, stdin=subprocess.DEVNULL, cwd=None):
        """Starts the program (under xbdbg), with stdout and stderr in files."""
        self.process = self._popen(self.prefix() + argv, self.path("out"), self.path("err"), stdin, cwd)
        return self.process

    def start_beside(self, argv, cwd=None):
        """Starts a helper that runs natively beside the program; ended with the session."""
        return self._popen(argv, self.path("beside.out"), self.path("beside.err"), subprocess.DEVNULL, cwd)

    def _popen(self, argv, out, err, stdin, cwd):
        with open(out, "wb") as out_file, open(err, "ab") as err_file:
            err_file = out_file if out == err else err_file
            process = subprocess.Popen(argv, stdin=stdin, stdout=out_file, stderr=err_file,
                                       cwd=cwd or self.path("w"), start_new_session=True)
        self._started.append(process)
        return process

    def out(self):
        return read(self.path("out"))

    def running(self):
        if self.process.poll() is not None:
            raise Failed(f"ended early, status {self.process.returncode}: {self.tail()}")
        return True

    def wait_for(self, what, ask):
        """As the function, and fails at once when the program has ended."""
        return wait_for(what, lambda: ask() or not self.running(), self.timeout)

    def interrupt(self):
        """Ctrl-C: the terminal sends it to the whole group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def tail(self):
        return read(self.path("err"))[-1500:].decode(errors="replace")

    def finish(self):
        """Waits for the program's end. Returns its Outcome."""
        outcome = self.compared
        if outcome is None:
            self._wait(self.process, "the program")
            outcome = Outcome(self.process.returncode, self.out(), read(self.path("err")))
        if self.expected is not None and outcome.status not in self.expected:
            raise Failed(f"status {outcome.status} instead of {self.expected}: {self.tail()}")
        return outcome

    def _wait(self, process, what):
        try:
            process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            raise Failed(f"{what} did not end within {self.timeout} s: {self.tail()}") from None

    def replay(self, number):
        """Replays the recording, elsewhere and with nothing to read. Returns the Outcome."""
        elsewhere = self.path(f"replay{number}")
        os.makedirs(elsewhere)
        out, err = os.path.join(elsewhere, "out"), os.path.join(elsewhere, "err")
        process = self._popen([self.xbdbg, "replay", self.trace], out, out if self.one_stream else err,
                              subprocess.DEVNULL, elsewhere)
        self._wait(process, f"replay {number}")
        return Outcome(process.returncode, read(out), read(err))

    def close(self):
        """Ends whatever this session started and still runs; what xbdbg started ends with it."""
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
