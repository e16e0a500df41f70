# A service whose responses change the session, for better or worse. Prints its port, then a line for each request: method, path, user.
import http.server, json, os, secrets, sys, threading, urllib.parse
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
sessions, lock = {}, threading.Lock()

class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_request(self):
        length = int(self.headers.get("Content-Length", 0))
        form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode()))
        # Of two cookies of one name the first counts.
        cookies = dict(part.strip().split("=", 1) for part in self.headers.get("Cookie", "").split(";")[::-1] if "=" in part)
        path, _, query = self.path.partition("?")
        sid, query = cookies.get("sid"), dict(urllib.parse.parse_qsl(query))
        does = query.get("set", path[1:])
        with lock:
            user, cookie, status = sessions.get(sid), None, 200
            print(self.command, self.path, user or "-", flush=True)
            if path.lower().strip("/. ") in ("login", "%2flogin", "login%20", "login;x"):
                user = form.get("user")
                # Some services put another user behind the session that is there.
                if "keep" in form and sid in sessions: sessions[sid] = user
                else: cookie = self.session(user)
            elif user is None: status = 401
            elif does == "as-mallory" and user == "ann": cookie = self.session("mallory")
            elif does == "anew": cookie = self.session(user)
            elif does == "rotate":
                del sessions[sid]
                cookie = self.session(user)
        seen = {"name": user, "lang": cookies["lang"]} if "lang" in cookies else {"name": user}
        body = json.dumps(seen).encode() if path != "/nameless" else b"{}"
        self.send_response(status)
        if cookie: self.send_header("Set-Cookie", f"{query.get('name', 'sid')}={cookie}; Path={query.get('path', '/')}; HttpOnly")
        if "lang" in query: self.send_header("Set-Cookie", f"lang={query['lang']}; Path=/api")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)

    def session(self, user):
        sid = secrets.token_hex(16)
        sessions[sid] = user
        return sid

    do_GET = do_HEAD = do_POST = do_PUT = handle_request

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
print(server.server_port, flush=True)
server.serve_forever()
