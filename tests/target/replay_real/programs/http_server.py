"""A threaded web server: numbers, a big file, and a way to end it. Prints "port N" first.

Argument: the port; without it, any.
"""
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

served = 0
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        global served
        with lock:
            served += 1
        if self.path.startswith("/numbers/"):
            start = int(self.path.rsplit("/", 1)[1])
            body = "".join(f"{n}\n" for n in range(start, start + 1000)).encode()
        elif self.path == "/big":
            body = bytes(range(256)) * 4096
        elif self.path == "/quit":
            body = b"bye\n"
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if self.path == "/quit":   # after the answer: nobody waits for this thread
            threading.Thread(target=self.server.shutdown).start()


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
print("port", server.server_address[1], flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
server.server_close()
print("served", served)
