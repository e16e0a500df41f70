#!/usr/bin/env python3
# Sites behind single sign-on: auto|person. All hosts of one port, each an origin of its own; who asks for what is behind a login is
# sent to the provider, and comes back with a ticket. One page of the provider fills in its form by itself (`auto`), as a person would.
#   id.localhost            the provider: a form, and a session of its own
#   wiki.corp.localhost     a session of this host, HttpOnly
#   keep.corp.localhost     keeps the id of the session that everybody has before a login
#   agent.corp.localhost    a session bound to the User-Agent of the browser
#   parent.corp.localhost   a session of the domain corp.localhost
#   slow.corp.localhost     a session that counts two seconds after the login
#   token.corp.localhost    a page of scripts with a token in localStorage, sent as a bearer token; no cookie at all
#   forbidden.corp.localhost answers 403 to everybody who is logged in
import http.server, json, secrets, socketserver, sys, threading, time
from urllib.parse import parse_qs, quote, urlsplit

USERS = {"ann": "correct horse"}
tickets, sessions, told = {}, {}, []
lock = threading.Lock()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def answer(self, status, body=b"", kind="text/html", **headers):
        self.send_response(status)
        for name, value in headers.items():
            for one in value if isinstance(value, list) else [value]:
                self.send_header(name.replace("_", "-"), one)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cookie(self, name):
        for part in self.headers.get("Cookie", "").split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                return value
        return None

    def do_GET(self): self.serve()
    def do_POST(self): self.serve()

    def serve(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length).decode()
        self.host = self.headers.get("Host", "").partition(":")[0]
        self.url = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(self.url.query).items()}
        told.append({"host": self.host, "method": self.command, "path": self.url.path, "at": time.time(),
                     "cookies": self.headers.get("Cookie", ""), "agent": self.headers.get("User-Agent", "")})
        if self.url.path == "/told":
            self.answer(200, json.dumps(told).encode(), "application/json")
        elif self.host == "id.localhost":
            self.provider()
        elif self.host.endswith(".corp.localhost"):
            self.site(self.host.partition(".")[0])
        else:
            self.answer(404)

    def provider(self):
        back, user, wrong = self.query.get("back", ""), sessions.get(self.cookie("idp")), ""
        if self.command == "POST":
            form = {name: values[0] for name, values in parse_qs(self.body).items()}
            if USERS.get(form.get("user"), "") == form.get("password"):
                user, new = form["user"], secrets.token_hex(16)
                sessions[new] = user
                return self.back(back, user, Set_Cookie="idp=%s; HttpOnly; Path=/" % new)
            wrong = "<p>Wrong.</p>"
        if user:
            return self.back(back, user)
        script = "document.forms[0].user.value = 'ann'; document.forms[0].password.value = 'correct horse'; document.forms[0].submit()"
        page = "<title>%s</title>%s<form method=post action='/login?back=%s'><input name=user autofocus><input name=password type=password><button>Log in</button></form>" % ("Try again" if wrong else "Log in", wrong, quote(back, safe=""))
        if "//token." in back:
            # A page of another site that would like its own token to be taken.
            sessions[("token", "attacker")] = {"user": "mallory"}
            page += "<script>fetch('%s/api/x', {headers: {Authorization: 'Bearer attacker'}}).catch(() => 0)</script>" % "/".join(back.split("/")[:3])
        if self.server.auto:
            page += "<script>setTimeout(() => { %s }, 300)</script>" % script
        self.answer(200, page.encode(), Set_Cookie="visit=1; Path=/")

    def back(self, back, user, **headers):
        ticket = secrets.token_hex(8)
        tickets[ticket] = user
        self.answer(302, Location=back + ("&" if "?" in back else "?") + "ticket=" + ticket, **headers)

    def site(self, kind):
        own, user = self.cookie("sid"), None
        found = sessions.get((kind, own))
        if found and found["from"] <= time.time() and (kind != "agent" or found["agent"] == self.headers.get("User-Agent")):
            user = found["user"]
        here = "http://%s" % self.headers["Host"]
        if self.url.path == "/callback":
            return self.callback(kind, own)
        if self.url.path == "/logout":
            sessions.pop((kind, own), None)
            return self.answer(204)
        if kind == "token":
            return self.token_site(here)
        if self.url.path == "/plain":
            return self.answer(200, b"<title>Plain</title>Anybody may see this.")
        if not user:
            fresh = {}
            if kind == "keep" and not own:
                fresh["Set_Cookie"] = "sid=%s; HttpOnly; Path=/" % secrets.token_hex(16)
            target = "http://id.localhost:%d/login?state=%s&back=%s" % (
                self.server.server_port, secrets.token_hex(4), quote(here + "/callback", safe=""))
            return self.answer(302, Location=target, **fresh)
        if kind == "forbidden":
            return self.answer(403, b"no")
        if self.url.path == "/api/me":
            return self.answer(200, json.dumps({"name": user}).encode(), "application/json")
        if self.url.path == "/page":
            script = '''(async () => {
                const told = [];
                for (const [method, path] of [['GET', 'api/me'], ['POST', 'notes']]) {
                    const answer = await fetch(path, {method, body: method == 'POST' ? 'x' : undefined});
                    told.push(`${method} ${answer.status} ${answer.headers.get('Authctl-Refused') || ''}`);
                }
                document.body.innerText = told.join('\\n');
            })()'''
            return self.answer(200, ("<body><script>%s</script>" % script).encode())
        if self.url.path == "/notes" and self.command == "POST":
            return self.answer(201, json.dumps({"by": user, "text": self.body}).encode(), "application/json")
        self.answer(200, b"<title>Site</title>You are logged in.")

    def token_site(self, here):
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        user = (sessions.get(("token", value)) or {}).get("user") if scheme == "Bearer" else None
        if self.url.path == "/exchange":
            user = tickets.pop(self.query.get("ticket"), None)
            if not user:
                return self.answer(400, b"no ticket")
            value = secrets.token_urlsafe(24)
            sessions[("token", value)] = {"user": user}
            told.append({"accepted": "token", "at": time.time()})
            return self.answer(200, json.dumps({"token": value}).encode(), "application/json")
        if self.url.path.startswith("/api/"):
            if not user:
                return self.answer(401, b"{}", "application/json", WWW_Authenticate="Bearer")
            return self.answer(200, json.dumps({"name": user}).encode(), "application/json")
        provider = "http://id.localhost:%d/login?back=%s" % (self.server.server_port, quote(here + "/", safe=""))
        script = '''const ask = async () => {
            const ticket = new URL(location).searchParams.get('ticket');
            if (ticket) localStorage.token = (await (await fetch('/exchange?ticket=' + ticket)).json()).token;
            if (!localStorage.token) return location = '%s';
            const me = await (await fetch('/api/me', {headers: {Authorization: 'Bearer ' + localStorage.token}})).json();
            document.body.innerText = me.name;
        }; ask()''' % provider
        self.answer(200, ("<title>App</title><body><script>%s</script>" % script).encode())

    def callback(self, kind, own):
        user = tickets.pop(self.query.get("ticket"), None)
        if not user:
            return self.answer(400, b"no ticket")
        new = own if kind == "keep" and own else secrets.token_hex(16)
        sessions[(kind, new)] = {"user": user, "agent": self.headers.get("User-Agent"),
                                 "from": time.time() + (2 if kind == "slow" else 0)}
        told.append({"accepted": kind, "at": time.time()})
        domain = "; Domain=corp.localhost" if kind == "parent" else ""
        cookies = ["sid=%s; HttpOnly; Path=/%s" % (new, domain), "theme=dark; Path=/", "deep=1; Path=/deep"]
        self.answer(302, Location="/", Set_Cookie=cookies)

class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

server = Server(("127.0.0.1", 0), Handler)
server.auto = sys.argv[1] == "auto"
print(server.server_port, flush=True)
# Ends when its standard input does.
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
