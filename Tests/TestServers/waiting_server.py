# Answers a request with a password only once COUNT are waiting: PORT COUNT.
import http.server, os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
barrier, lock, waiting = threading.Barrier(int(sys.argv[2])), threading.Lock(), 0

class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global waiting
        known = "Authorization" in self.headers
        if known:
            with lock:
                waiting += 1
                print(waiting)
            barrier.wait()
            with lock:
                waiting -= 1
        self.send_response(200 if known else 401)
        if not known:
            self.send_header("WWW-Authenticate", 'Basic realm="test"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer.request_queue_size = 64
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service).serve_forever()
