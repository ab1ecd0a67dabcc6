"""Programs that die: the replay ends the same way, at the same instruction (which `xbdbg replay` compares)."""
import os
import subprocess

from harness import scenario

_CRASH = os.path.join(os.environ["REPLAY_REAL_BIN"], "replay_real", "crash")
_ENDS = {"segv": -11, "segv-thread": -11, "abort": -6, "exception": -6, "overflow": -11, "divide": -8,
         "illegal": -4, "kill": -9, "trap": -5, "bus": -7, "alarm": -14, "handled": 3}


def _register(how, status):
    @scenario(f"crash {how}", ci=True)
    def crash(session):
        session.expected = {status}
        session.start([_CRASH, how])


for _how, _status in _ENDS.items():
    _register(_how, _status)


@scenario("crash deadlock, interrupted", ci=True, seeds=True)
def deadlock(session):
    """Two threads wait for each other; the first one waits for a key, so that the program as a whole is not stuck."""
    session.expected = {-2}
    session.start([_CRASH, "deadlock"], stdin=subprocess.PIPE)
    session.wait_for("the deadlock", lambda: b"deadlocked" in session.out())
    session.interrupt()


@scenario("crash terminated")
def terminated(session):
    session.expected = {-15}
    session.start([_CRASH, "wait"], stdin=subprocess.PIPE)
    session.wait_for("the program", lambda: b"waiting" in session.out())
    session.process.terminate()
