"""Threaded servers, with the clients outside."""
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from harness import Failed, answers, free_port, native, scenario, wait_for

_HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"   # Debian's, whatever else is first on the PATH


def start_redis(session, *options):
    port = free_port()
    session.start(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                   "--dir", session.path("w"), "--io-threads", "4", "--io-threads-do-reads", "yes", *options])
    session.wait_for("redis", lambda: answers(port))
    return str(port)


def stop_redis(port):
    # The connection ends without an answer, which redis-cli takes well.
    native(["redis-cli", "-p", port, "shutdown", "nosave"])


@scenario("server redis", ci=True, seeds=True)
def redis(session):
    port = start_redis(session)
    native(["redis-benchmark", "-p", port, "-n", "300", "-c", "20", "--csv", "-t", "set,get,lpush,lrange_100"])
    stop_redis(port)


@scenario("server redis pipelined")
def redis_pipelined(session):
    port = start_redis(session)
    native(["redis-benchmark", "-p", port, "-n", "10000", "-c", "50", "-P", "16", "--csv", "-t", "set,get,mset,zadd"])
    stop_redis(port)


@scenario("server redis unix socket")
def redis_unix(session):
    path = session.path("w", "s")
    session.start(["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", session.path("w"),
                   "--io-threads", "4"])
    session.wait_for("redis", lambda: os.path.exists(path))
    native(["redis-benchmark", "-s", path, "-n", "300", "-c", "10", "--csv", "-t", "set,get"])
    native(["redis-cli", "-s", path, "shutdown", "nosave"])


def _memcached_client(port, number):
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        stream = connection.makefile("rwb")
        for i in range(50):
            value = b"%d-%d" % (number, i) * 20
            stream.write(b"set k%d.%d 0 0 %d\r\n%s\r\n" % (number, i, len(value), value))
            stream.flush()
            if stream.readline() != b"STORED\r\n":
                raise Failed("memcached did not store")
            stream.write(b"get k%d.%d\r\n" % (number, i))
            stream.flush()
            lines = [stream.readline() for _ in range(3)]
            if lines[1] != value + b"\r\n":
                raise Failed(f"memcached answered {lines}")


@scenario("server memcached", ci=True, seeds=True)
def memcached(session):
    port = free_port()
    user = ["-u", "root"] if os.geteuid() == 0 else []
    session.start(["memcached", "-t", "4", "-l", "127.0.0.1", "-p", str(port), "-U", "0", *user])
    session.wait_for("memcached", lambda: answers(port))
    with ThreadPoolExecutor(6) as clients:
        list(clients.map(lambda number: _memcached_client(port, number), range(6)))
    session.process.send_signal(signal.SIGTERM)


def start_http_server(session, beside=False):
    argv = [PYTHON, os.path.join(_HERE, "programs/http_server.py")]
    if beside:
        session.start_beside(argv)
        out = session.path("beside.out")
    else:
        session.start(argv)
        out = session.path("out")

    def port():
        with open(out, encoding="utf-8") as file:
            words = file.readline().split()
        return words[1] if len(words) == 2 else None
    wait = wait_for if beside else session.wait_for
    return wait("the http server's port", port)


def _fetch(port, count):
    urls = [f"http://127.0.0.1:{port}/numbers/{n}" for n in range(count)]
    clients = [subprocess.Popen(["curl", "-sS", "--max-time", "60", url], stdout=subprocess.PIPE) for url in urls]
    for n, client in enumerate(clients):
        text = client.communicate(timeout=60)[0]
        if client.returncode != 0 or not text.startswith(b"%d\n" % n):
            raise Failed(f"curl {urls[n]}: status {client.returncode}, {text[:80]!r}")


@scenario("server python http", ci=True, seeds=True)
def http_server(session):
    port = start_http_server(session)
    _fetch(port, 8)
    native(["curl", "-sS", f"http://127.0.0.1:{port}/quit"])


@scenario("server python http, interrupted")
def http_server_interrupted(session):
    port = start_http_server(session)
    _fetch(port, 4)
    session.interrupt()


@scenario("curl", ci=True)
def curl(session):
    port = start_http_server(session, beside=True)
    session.start(["curl", "-sS", "-i", f"http://127.0.0.1:{port}/numbers/5", f"http://localhost:{port}/big",
                   "-o", "-", "-o", session.path("w", "big")])


@scenario("curl in parallel")
def curl_parallel(session):
    port = start_http_server(session, beside=True)
    session.start(["curl", "-sS", "-Z", f"http://127.0.0.1:{port}/numbers/[1-20]"])


if sys.version_info < (3, 9):
    raise SystemExit("replay_real needs Python 3.9")
