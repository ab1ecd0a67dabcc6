"""Takes in the world in every way it can, and prints it. Arguments: a file to read, the port of a web server."""
import ctypes
import mmap
import os
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request

path, port = sys.argv[1], int(sys.argv[2])

with open(path, encoding="utf-8") as file:
    print("read", file.read().strip())
with open(path, "rb") as file:
    print("mapped", mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:20])
print("stat", os.stat(path).st_ino, os.stat(path).st_mtime_ns)
print("folder", sorted(os.listdir(".")), os.getcwd())
print("clock", time.time_ns(), time.monotonic_ns(), time.strftime("%H:%M:%S"))
print("random", os.urandom(8).hex(), random.random(), hash("text"))
print("ids", os.getpid(), os.getppid(), os.getuid(), socket.gethostname())
print("memory", open("/proc/self/statm").read().strip(), ctypes.CDLL(None).getpid())
print("network", len(urllib.request.urlopen(f"http://127.0.0.1:{port}/numbers/1").read()))
print("child", subprocess.run(["cat", path], capture_output=True, check=True).stdout)
with open("written", "w", encoding="utf-8") as file:
    file.write("by the program\n")
with open("written", encoding="utf-8") as file:
    print("read back", file.read().strip())
os.rename("written", "renamed")
os.mkdir("made")

found = []
threads = [threading.Thread(target=lambda n=n: found.append((n, time.perf_counter_ns()))) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", found)
sys.stderr.write("to stderr\n")
sys.exit(7)
