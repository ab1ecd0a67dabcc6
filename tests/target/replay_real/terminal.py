"""Full-screen programs, in a terminal of tmux's that gets keys.

What is compared is every byte that the program sent to the terminal, as tmux saw it, without carriage returns: these
the terminal driver adds, and a replay writes into a pipe.
"""
import os
import shlex

from harness import Failed, Outcome, native, read, scenario, wait_for

_END = b"XB-END"


class Terminal:
    """A tmux server of our own with one window, in which the session's program runs."""

    def __init__(self, session, argv):
        self.session = session
        self.raw = session.path("screen.bytes")
        self.status = session.path("status")
        self._socket = session.path("tmux")
        command = " ".join(shlex.quote(word) for word in session.prefix() + argv)
        # tmux must listen before the program says anything. Between the marks is what the program said.
        script = (f"tmux -S {self._socket} wait-for go; trap : INT; stty -echoctl; printf XB-BEGIN; {command}; "
                  f"echo $? > {self.status}; stty sane; printf XB-END; cat")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", session.path("w"),
                  "sh", "-c", script)
        self.tmux("pipe-pane", f"cat > {self.raw}")
        self.tmux("wait-for", "-S", "go")

    def tmux(self, *words):
        return native(["tmux", "-S", self._socket, *words])

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def wait_for_screen(self, text):
        def shown():
            if os.path.exists(self.status):
                raise Failed(f"ended early: {self.tmux('capture-pane', '-p').decode(errors='replace')}")
            return text in self.tmux("capture-pane", "-p").decode(errors="replace")
        wait_for(f"{text!r} on the screen", shown, self.session.timeout)

    def finish(self):
        """Waits for the end, and tells the session what was shown."""
        wait_for("the end of the terminal session", lambda: _END in read(self.raw), self.session.timeout)
        shown = read(self.raw).split(b"XB-BEGIN", 1)[1].split(_END, 1)[0]
        self.session.compared = TerminalOutcome(int(read(self.status)), shown)
        self.close()

    def close(self):
        self.tmux("kill-server")


class TerminalOutcome(Outcome):
    def __init__(self, status, shown):
        for added in (b"\r", b"\x03", b"\x1a"):   # by the terminal driver
            shown = shown.replace(added, b"")
        super().__init__(status, shown, b"")

    def difference(self, other):
        status = other.status if other.status >= 0 else 128 - other.status   # as the shell tells it
        return super().difference(Outcome(status, other.out.replace(b"\r", b""), other.err))


def _in_terminal(session, argv, use):
    os.environ["TERM"] = "screen"
    session.one_stream = True
    terminal = Terminal(session, argv)
    try:
        use(terminal)
        terminal.finish()
    except Exception:
        terminal.close()
        raise


@scenario("terminal vim", ci=True)
def vim(session):
    def use(terminal):
        terminal.wait_for_screen("~")
        terminal.keys("i", "hello from vim", "Enter", "second line", "Escape")
        terminal.wait_for_screen("second line")
        terminal.keys(":s/second/third/", "Enter")
        terminal.wait_for_screen("third line")
        terminal.keys(":wq", "Enter")

    _in_terminal(session, ["vim", "-u", "NONE", "-i", "NONE", "-n", "--noplugin", "text"], use)
    if read(session.path("w", "text")) != b"hello from vim\nthird line\n":
        raise Failed("vim did not save the text")


@scenario("terminal top", ci=True)
def top(session):
    def use(terminal):
        terminal.wait_for_screen("%Cpu")
        terminal.keys("1")
        terminal.wait_for_screen("Cpu0")
        terminal.keys("q")

    _in_terminal(session, ["top", "-d", "0.3"], use)


@scenario("terminal bash with job control")
def interactive_bash(session):
    def use(terminal):
        terminal.wait_for_screen("prompt>")
        terminal.keys("sleep 1000 & echo $(( 6 * 7 ))x", "Enter")
        terminal.wait_for_screen("42x")
        terminal.keys("sh -c 'echo > up; exec sleep 1000'", "Enter")
        wait_for("the job", lambda: os.path.exists(session.path("w", "up")))   # it has the terminal
        terminal.keys("C-z")
        terminal.wait_for_screen("Stopped")
        terminal.keys("kill %1 %2; wait; exit 9", "Enter")

    os.environ.update(PS1="prompt>", HISTFILE="")
    session.expected = {9}
    _in_terminal(session, ["bash", "--norc", "--noprofile", "-i"], use)


@scenario("terminal interrupt", ci=True)
def interrupted(session):
    def use(terminal):
        terminal.wait_for_screen("ready")
        terminal.keys("C-c")

    session.expected = {130}
    _in_terminal(session, ["bash", "-c", "echo ready; read line; echo never"], use)
