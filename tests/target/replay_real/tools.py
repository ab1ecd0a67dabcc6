"""Programs that work on files, start others, or are started by a shell."""
import os
import shutil
import subprocess

from harness import Failed, native, scenario
from servers import PYTHON

_HERE = os.path.dirname(os.path.abspath(__file__))

_C_FILE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct point { int x, y; };
static int by_x(const void *a, const void *b) { return ((struct point *)a)->x - ((struct point *)b)->x; }
int main(void) {
  struct point all[100];
  for (int i = 0; i < 100; i++) all[i] = (struct point){(i * 37) % 100, i};
  qsort(all, 100, sizeof all[0], by_x);
  printf("%d %zu\\n", all[7].y, strlen("text"));
}
"""

# What children write themselves is not part of the recording: they write into pipes and files that bash reads.
_SCRIPT = """
count() { local n=0; while read -r _; do n=$((n + 1)); done; echo "$1 $n"; }
echo "$(seq 1 500 | sort -r | grep 7 | count sevens)"
(exit 3); echo "status $?"
sleep 0.2 & first=$!
(trap 'exit 7' TERM; while :; do sleep 0.05; done) & second=$!
seq 3 > numbers & wait $!
wait $first; echo "first $?"
kill -TERM $second; wait $second; echo "second $?"
x=$(cat numbers | tr '\\n' ,); echo "numbers $x"
read -r line < <(echo from a substitution); echo "$line"
while read -r line; do echo "line $line"; done < numbers
mapfile -t lines <<< "$(ls -a | sort)"; echo "${lines[@]}"
trap 'echo child' USR1; kill -USR1 $$
echo done >&2
exit 5
"""


@scenario("sqlite from python", ci=True, seeds=True)
def sqlite(session):
    session.start([PYTHON, os.path.join(_HERE, "programs/sqlite_threads.py"), "delete"])


@scenario("sqlite from python, write-ahead log", ci=True, seeds=True)
def sqlite_wal(session):
    session.start([PYTHON, os.path.join(_HERE, "programs/sqlite_threads.py"), "wal"])


@scenario("sqlite3 shell")
def sqlite_shell(session):
    session.start(["sqlite3", "data.db", "create table t(a, b); insert into t select value, value * value "
                   "from generate_series(1, 1000); select sum(b), count(*) from t; select datetime('now') != '';"])


def _repository(session):
    source = session.path("source")
    os.makedirs(source)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", source]
    native(["git", "init", "-q", "-b", "main", source])
    for n in range(40):
        with open(os.path.join(source, f"file{n}.txt"), "w", encoding="utf-8") as file:
            file.write("".join(f"line {n} {i}\n" for i in range(200)))
    native([*git, "add", "."])
    native([*git, "commit", "-q", "-m", "files"])
    return source


def _no_git_configuration():
    os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")


@scenario("git clone", ci=True)
def git_clone(session):
    _no_git_configuration()
    source = _repository(session)
    session.start(["git", "clone", source, "copy"])
    session.finish()
    native(["git", "-C", session.path("w", "copy"), "fsck", "--strict"])


@scenario("git clone through a pack")
def git_clone_pack(session):
    _no_git_configuration()
    source = _repository(session)
    session.start(["git", "clone", "--no-local", source, "copy"])
    session.finish()
    native(["git", "-C", session.path("w", "copy"), "fsck", "--strict"])


@scenario("git grep with threads", seeds=True)
def git_grep(session):
    _no_git_configuration()
    session.start(["git", "-C", _repository(session), "grep", "--threads", "4", "-n", "line 3. 19"])


@scenario("git pack-objects with threads", seeds=True)
def git_pack(session):
    _no_git_configuration()
    source = _repository(session)
    session.start(["git", "-C", source, "-c", "pack.threads=4", "repack", "-a", "-d", "-f", "-q"])


def _write(session, name, text):
    with open(session.path("w", name), "w", encoding="utf-8") as file:
        file.write(text)


@scenario("gcc", ci=True)
def gcc(session):
    _write(session, "program.c", _C_FILE)
    session.start(["gcc", "-O2", "-Wall", "program.c", "-o", "program"])
    session.finish()
    if native([session.path("w", "program")]) != b"11 4\n":
        raise Failed("gcc made a wrong program")


@scenario("cc1", ci=True)
def cc1(session):
    _write(session, "program.c", _C_FILE)
    compiler = native(["gcc", "-print-prog-name=cc1"]).decode().strip()
    native(["gcc", "-E", "program.c", "-o", "program.i"], cwd=session.path("w"))
    session.start([compiler, "-fpreprocessed", "-quiet", "-O2", "program.i", "-o", "program.s"])


@scenario("bash", ci=True)
def bash(session):
    session.expected = {5}
    session.start(["bash", "-c", _SCRIPT])
    outcome = session.finish()
    if b"second 7\n" not in outcome.out:
        raise Failed(f"bash wrote {outcome.out!r}")


@scenario("bash, interrupted")
def bash_interrupted(session):
    session.expected = {4}
    session.start(["bash", "-c", "trap 'echo interrupted; exit 4' INT; echo ready; while :; do sleep 0.05; done"])
    session.wait_for("bash", lambda: b"ready" in session.out())
    session.interrupt()


@scenario("exec follows", ci=True)
def exec_follows(session):
    _write(session, "numbers", "1\n2\n")
    session.start(["bash", "-c", "echo before; exec sh -c 'echo in sh; exec cat numbers'"])


@scenario("python subprocesses")
def python_subprocess(session):
    session.start([PYTHON, "-c", "import subprocess, os\n"
                   "print(subprocess.run(['sort'], input='b\\na\\n', text=True, capture_output=True).stdout)\n"
                   "print(os.popen('echo popen').read(), os.system('exit 3'), os.getpid())"])


@scenario("python forks and talks through pipes")
def python_fork(session):
    session.start([PYTHON, "-c", "import multiprocessing as m\n"
                   "mine, its = m.Pipe()\n"
                   "child = m.get_context('fork').Process(target=lambda: its.send(its.recv() * 2))\n"
                   "child.start(); mine.send('text'); print(mine.recv()); child.join(); print(child.exitcode)"])


@scenario("coreutils pipe in and out", ci=True)
def stdin(session):
    process = session.start(["sort", "-u"], stdin=subprocess.PIPE)
    process.stdin.write(b"".join(b"%d\n" % (n * 7 % 100) for n in range(5000)))
    process.stdin.close()


@scenario("ls and find")
def listing(session):
    for n in range(300):
        _write(session, f"file{n}", "x")
    session.start(["find", ".", "-name", "file*9", "-printf", "%p %s %T@\n"])


@scenario("tar through xz")
def tar(session):
    for n in range(50):
        _write(session, f"file{n}", f"{n}\n" * 2000)
    session.start(["tar", "-cJf", "all.tar.xz", "--remove-files", "-v", *[f"file{n}" for n in range(50)]])


if not shutil.which("gcc"):
    raise SystemExit("replay_real needs gcc: scripts/setup.sh test")
