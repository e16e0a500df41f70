# Services behind a real nginx with TLS, which is a gateway to some of them: PORT FOLDER. Prints a line once they answer.
#
# /spring/ and /laravel/ log in by a form and answer a wrong password as those frameworks do, neither of which Debian has: with a redirect
# to /login?error, and with one back to the page of the form. Below /plain/ they do not know of the TLS in front of them, so that their
# redirects lead to http. /hidden/ answers 404 to whoever has no login or a wrong one; /nginx/ does, too, and is nginx's own auth_basic.
# /desk/ and /counter/ are behind the auth_basic of nginx and know only one of its users; to the other they answer 401, one of them without
# a challenge. While FOLDER has a file gate-403 or gate-503, nginx answers so to everybody, and while it has closed, so do the services.
import base64, ctypes, html, http.server, json, os, secrets, signal, socket, subprocess, sys, textwrap, threading, time, urllib.parse

port, folder = int(sys.argv[1]), sys.argv[2]
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
users = {"ann": "correct horse", "bob": "only a guest"}
sessions, lock = {}, threading.Lock()


class Services(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body="", kind="text/html", **fields):
        self.send_response(status)
        for name, value in fields.items(): self.send_header(name.replace("_", "-"), value)
        if self.new: self.send_header("Set-Cookie", f"{self.cookie}={self.new}; Path=/; HttpOnly")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def json(self, status, value, **fields): self.answer(status, json.dumps(value), "application/json", **fields)

    def lead(self, path):
        scheme = "http" if self.is_plain else self.headers["X-Forwarded-Proto"]
        self.answer(302, Location=f"{scheme}://{self.headers['Host']}{self.prefix}{path}")

    def handle_request(self):
        self.new, self.cookie = None, ""
        form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        parts = self.path.split("?")[0].split("/")[1:]
        self.is_plain = parts[0] == "plain"
        if self.is_plain: del parts[0]
        self.prefix = ("/plain/" if self.is_plain else "/") + parts[0]
        with lock:
            if parts[0] in ("spring", "laravel"): return self.pages(parts[0], "/".join(parts[1:]), dict(urllib.parse.parse_qsl(form)))
            pair = base64.b64decode((self.headers.get("Authorization") or "Basic ")[6:]).decode()
            name, _, password = pair.partition(":")
            is_closed = os.path.exists(f"{folder}/closed")
            if users.get(name) == password and name == "ann" and not is_closed: return self.json(200, {"name": name})
            if parts[0] == "hidden": return self.json(404, {"detail": "Not found."})
            fields = {"WWW_Authenticate": 'Basic realm="the desk"'} if parts[0] == "desk" else {}
            self.json(401, {"detail": "Who is that?"}, **fields)

    def pages(self, kind, page, form):
        self.cookie = "JSESSIONID" if kind == "spring" else "laravel_session"
        sent = dict(part.strip().split("=", 1) for part in self.headers.get("Cookie", "").split(";") if "=" in part)
        sid = sent.get(self.cookie, "").split(".")[0]
        if sid not in sessions: sid = self.begin()
        session = sessions[sid]
        if self.command == "POST" and form.get("_token") != session["token"]: return self.answer(419 if kind == "laravel" else 403)
        if self.command == "POST" and page == "login":
            if users.get(form.get("username")) == form.get("password"):
                del sessions[sid]
                sid = self.begin(form["username"])
                target = "/" if kind == "spring" else "/home"
            else: target = "/login?error" if kind == "spring" else "/login"
        elif page == "login": target = None
        elif session["user"] is None: target = "/login"
        else: target = None
        # Laravel's cookie is encrypted anew in each response.
        if kind == "laravel": self.new = f"{sid}.{secrets.token_hex(8)}"
        if target is not None: return self.lead(target)
        if page == "me": return self.json(200, {"name": session["user"]})
        if page == "login":
            return self.answer(200, f"""<form method="post" action="{self.prefix}/login"><input name="username"><input name="password"
                type="password"><input type="hidden" name="_token" value="{session['token']}"><button>Log in</button></form>""")
        self.answer(200, f"""<p>Hello {html.escape(session['user'])}</p><form method="post" action="{self.prefix}/logout"><button>Log out</button></form>""")

    def begin(self, user=None):
        self.new = secrets.token_hex(16)
        sessions[self.new] = {"user": user, "token": secrets.token_hex(8)}
        return self.new

    do_GET = do_POST = handle_request

    def log_message(self, *_): pass


services = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Services)
threading.Thread(target=services.serve_forever, daemon=True).start()
subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650", "-keyout",
                f"{folder}/own.key", "-out", f"{folder}/own.pem", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
               check=True, stderr=subprocess.DEVNULL)
with open(f"{folder}/passwords", "w") as file:
    for name, password in users.items():
        hashed = subprocess.run(["openssl", "passwd", "-apr1", "-stdin"], input=password, capture_output=True, text=True, check=True)
        file.write(f"{name}:{hashed.stdout}")
proxied = f"proxy_pass http://127.0.0.1:{services.server_port}; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;"
guarded = f'auth_basic "the gateway"; auth_basic_user_file {folder}/passwords;'
with open(f"{folder}/nginx.conf", "w") as file:
    file.write(textwrap.dedent(f"""
        daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
        events {{ }}
        http {{
            access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
            fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
            server {{
                listen 127.0.0.1:{port} ssl; ssl_certificate {folder}/own.pem; ssl_certificate_key {folder}/own.key;
                if (-f {folder}/gate-403) {{ return 403; }}
                if (-f {folder}/gate-503) {{ return 503; }}
                location / {{ {proxied} }}
                location ~ ^/(desk|counter)/ {{ {guarded} {proxied} }}
                location = /nginx/me {{ {guarded} error_page 401 =404 @nobody; try_files /none @me; }}
                location @nobody {{ default_type application/json; return 404 '{{}}'; }}
                location @me {{ default_type application/json; return 200 '{{"name": "$remote_user"}}'; }}
            }}
        }}
        """))
# PDEATHSIG of prctl(2): the server ends with this process.
server = subprocess.Popen(["/usr/sbin/nginx", "-c", f"{folder}/nginx.conf", "-p", folder, "-e", f"{folder}/early.log"], stdin=subprocess.DEVNULL,
                          preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM))
while server.poll() is None:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        print(port, flush=True)
        break
    except OSError: time.sleep(0.01)
sys.exit(server.wait())
