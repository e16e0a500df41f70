# A service that misbehaves, and a client that says what it hears of it through authctl: mcp_hostile.py PORT AUTHCTL PROFILE. The name of a
# tool says what the service does. Prints a line for each call.
import http.client, json, os, queue, socket, subprocess, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
port, command, profile = int(sys.argv[1]), sys.argv[2], sys.argv[3]
alive, begun, log, hanging, token = set(), [], [], set(), "tok-" + "a" * 40
tokens = {token: "ann"}
refreshes = []
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *arguments): pass
    def out(self, status, body=b"", kind="application/json", **fields):
        self.send_response(status)
        for name, value in fields.items(): self.send_header(name.replace("_", "-"), value)
        if body: self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def stream(self):
        self.send_response(200); self.send_header("Content-Type", "text/event-stream"); self.send_header("Connection", "close")
        self.end_headers(); self.close_connection = True
    def say(self, text): self.wfile.write(text.encode()); self.wfile.flush()
    def name(self): return tokens.get((self.headers.get("Authorization") or " ").split(" ")[1])
    def known(self):
        if self.name(): return True
        self.out(401, WWW_Authenticate="Bearer")
    def do_DELETE(self):
        log.append("DELETE"); self.out(200)
    def do_GET(self):
        if not self.known(): return
        if self.path == "/me": return self.out(200, json.dumps({"name": self.name()}).encode())
        last = self.headers.get("Last-Event-ID")
        if "listens" in hanging and (last or "L").startswith("L"):
            log.append(f"listens {last}")
            if "refused" in hanging: return self.out(403)
            if "away" in hanging: log.append("away"); return self.out(500)
            self.stream(); return self.say("id: L-1\nretry: 0\ndata:\n\n")
        if last is None: return self.out(405)
        call, step = last.split("-")
        log.append(f"GET {step}")
        if step == "99": return self.out(500, b"no")
        self.stream()
        if step in "01": return self.say(f"id: {call}-{int(step) + 1}\nretry: 50\ndata:\n\n")
        self.say(f'data: {{"jsonrpc":"2.0","id":{call},"result":{{"resumed":{step}}}}}\n\n')
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path in ("/login", "/refresh"):
            if self.path == "/refresh":
                refreshes.append(self.path); time.sleep(25 if "refresh" in hanging else 0.5)
                if "failing" in hanging: return self.out(500)
                if "over" in hanging: return self.out(401)
            user = json.loads(body).get("user") or "ann"; made = f"tok-{user}-" + "c" * 40; tokens[made] = user
            return self.out(200, json.dumps({"token": made, "refresh": "ref-" + "b" * 40, "seconds": 1 if "brief" in hanging else 100}).encode())
        if self.path == "/moved": return self.out(307, Location="/mcp")
        if self.path == "/again": return self.out(308, Location="/moved")
        if self.path == "/away": return self.out(307, Location="http://127.0.0.2:1/mcp")
        if self.path == "/found": return self.out(302, Location="/mcp")
        if self.path == "/loop": return self.out(307, Location="/loop")
        if self.path == "/sse": return self.out(405)
        if not self.known(): return
        message = json.loads(body); id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
        modern = "io.modelcontextprotocol/protocolVersion" in (params.get("_meta") or {})
        def answer(result, id=id): return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()
        if method in hanging: time.sleep(25); return
        if method == "initialize":
            begun.append(f"s{len(begun)}"); alive.add(begun[-1])
            return self.out(200, answer({"protocolVersion": "2025-06-18", "capabilities": {}}), Mcp_Session_Id=begun[-1])
        if not modern and self.headers.get("Mcp-Session-Id") not in alive:
            if "older" in hanging: return self.out(400, b"Bad Request: No valid session ID provided", "text/plain")
            return self.out(404, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}')
        log.append(method or "answer")
        if method is None or id is None: return self.out(202)
        name = params.get("name")
        def error(status, code, **more): self.out(status, json.dumps({"jsonrpc": "2.0", "error": {"code": code, "message": "bad"}, **more}).encode())
        if method == "tools/list":
            schema = {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}
            last = {"tools": [{"name": "weather", "inputSchema": schema}]}
            return self.out(200, answer(last if params.get("cursor") == "second" else {"tools": [], "nextCursor": "second"}))
        if name == "weather":
            city = self.headers.get("Mcp-Param-City")
            return self.out(200, answer({"city": city})) if city else error(400, -32020, id=id)
        if name == "laid out": return self.out(200, json.dumps(json.loads(answer({"a": [1, 2]})), indent=2).encode().replace(b"\n", b"\r\n"))
        if name == "junk": return self.out(200, b"<html>")
        if name == "a page": return self.out(200, b"<html>", "text/html")
        if name == "nothing": return self.out(200)
        if name == "taken": return self.out(202)
        if name == "410": return self.out(410, b"gone for good", "text/plain")
        if name == "500": return self.out(500, b'{"message":"it broke \\u001b[31m"}')
        if name == "a secret": return self.out(500, json.dumps({"message": token}).encode())
        if name == "an error": return error(400, -32602, id=None)
        if name == "an error for another": return error(400, -32602, id="server-error")
        if name == "404": return error(404, -32601, id=id)
        if name == "scope": return self.out(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="write"')
        if name == "hangs up": self.close_connection = True; self.connection.shutdown(socket.SHUT_RDWR); return
        if name == "slow": time.sleep(3); return self.out(200, answer({"slow": True}))
        if name == "closes":
            self.server.closing.add(self.connection)
            self.out(200, answer({})); self.wfile.flush(); self.close_connection = True; return
        if name in ("half", "over", "on purpose", "fails", "twice", "for another", "junk in it", "stays open", "endless", "laid out in it", "asks"): self.stream()
        if name == "half": return self.say('data: {"jsonrpc":"2.0","method":"notifications/x"}\n\ndata: {"json')
        if name == "over": return
        if name == "on purpose": return self.say(f"id: {id}-0\nretry: 50\ndata:\n\n")
        if name == "fails": return self.say(f"id: {id}-99\nretry: 50\ndata:\n\n")
        if name == "twice": return self.say(f"data: {answer({}).decode()}\n\n" * 2)
        if name == "for another": return self.say(f"data: {answer({}, 4711).decode()}\n\ndata: {answer({'own': 1}).decode()}\n\n")
        if name == "junk in it": return self.say("data: {}\n\n")
        if name == "laid out in it":
            return self.say("".join(f"data: {line}\r\n" for line in json.dumps(json.loads(answer({"a": 1})), indent=1).split("\n")) + "\r\n")
        if name == "stays open":
            self.say(f"data: {answer({}).decode()}\n\n")
            try:
                for _ in range(1200): time.sleep(0.1); self.say(": x\n\n")
            except OSError: log.append("closed")
            return
        if name == "endless":
            try:
                for _ in range(1200): self.say("data: " + "x" * (64 << 10) + "\n")
            except OSError: log.append("closed")
            return
        if name == "waits":
            self.stream(); log.append("waits")
            try:
                for _ in range(1200): time.sleep(0.1); self.say(": x\n\n")
            except OSError: log.append("closed")
            return
        if name == "asks":
            self.say('data: {"jsonrpc":"2.0","id":"s1","method":"roots/list"}\n\n')
            for _ in range(1200):
                if "answer" in log: break
                time.sleep(0.05)
            return self.say(f"data: {answer({'heard': 'answer' in log}).decode()}\n\n")
        self.out(200, answer({"name": name}))
class Server(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 512
    def server_bind(self):
        self.open, self.closing = set(), set(); super().server_bind()
    def get_request(self):
        found = super().get_request(); self.open.add(found[0]); return found
    def shutdown_request(self, request):
        super().shutdown_request(request); self.closing.discard(request)
    def handle_error(self, *arguments): pass
def serve():
    server = Server(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server
class Client:
    def __init__(self, target=profile, *options, begin=True):
        self.program = subprocess.Popen([command, "mcp", target, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines, self.count, self.others = queue.Queue(), 0, []
        threading.Thread(target=self.read, daemon=True).start()
        if begin: self.begin()
    def begin(self):
        self.call("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "c", "version": "1"})
        self.send({"method": "notifications/initialized"})
    def read(self):
        for line in self.program.stdout: self.lines.put(line)
        self.lines.put(b"")
    def send(self, message):
        self.program.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"); self.program.stdin.flush()
    def start(self, method, **params):
        self.count += 1; self.send({"id": self.count, "method": method, "params": params}); return self.count
    def wait(self, ids, patience=90):
        found, end = {}, time.time() + patience
        while len(found) < len(ids):
            try: line = self.lines.get(timeout=max(0.01, end - time.time()))
            except queue.Empty: break
            if not line: break
            message = json.loads(line)
            if message.get("id") in ids and "method" not in message and message["id"] not in found: found[message["id"]] = message
            else: self.others.append(message)
        return [found.get(id) for id in ids]
    def call(self, method, patience=90, **params): return self.wait([self.start(method, **params)], patience)[0]
    def tool(self, name, modern=False, **more):
        return self.start("tools/call", name=name, **more, **({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}} if modern else {}))
    def end(self, seconds=3):
        start = time.time(); self.program.stdin.close(); code = self.program.wait(60)
        return f"{code}{'' if time.time() - start < seconds else ' late'}"
def said(message, known=False):
    if message is None: return "NOTHING"
    error = message.get("error")
    if not error: return json.dumps(message["result"])
    code = (error.get("data") or {}).get("exitCode")
    # What is known of a connection that broke depends on what went over it before.
    text = "" if known else error["message"].split("): ", 1)[-1].split(";")[0] + " "
    return f"{error['code']} {text}" + (f"({code})" if code else "")
def login(profile, *options, password=token):
    run = subprocess.run([command, "login", profile, "--password-stdin", *options], input=password + "\n", text=True, capture_output=True)
    if run.returncode: sys.exit(run.stderr)
def until(holds):
    for _ in range(1200):
        if holds(): return
        time.sleep(0.05)
def listens(): return [entry for entry in log if entry.startswith("listens")]
server = serve()
login(profile)
names = ["plain", "laid out", "junk", "a page", "nothing", "taken", "410", "500", "a secret", "an error", "an error for another", "404", "scope", "hangs up", "half", "over", "on purpose", "fails", "twice", "for another", "junk in it", "laid out in it", "stays open", "endless"]
client = Client()
for modern in (False, True):
    print("==", "2026" if modern else "2025")
    ids = [client.tool(name, modern) for name in names]
    for name, message in zip(names, client.wait(ids)): print(f"{name}: {said(message, name == 'hangs up')}".strip(), flush=True)
    print("besides:", sorted(json.dumps(other) for other in client.others)); client.others = []
print("== sessions")
print("doubt:", "may have been carried out; look before you send it again" in client.wait([client.tool("hangs up")])[0]["error"]["message"])
log.clear(); waiting, asking = client.tool("waits"), client.tool("asks")
for _ in range(100):
    if client.others: break
    client.others.append(json.loads(client.lines.get(timeout=20)))
client.send({"id": client.others[-1].get("id"), "result": {}})
print("asks:", said(client.wait([asking])[0]))
client.others = []
alive.clear(); before = len(begun)
ids = [client.tool("plain") for _ in range(50)]
print("50 in a lost session:", sum("result" in (m or {}) for m in client.wait(ids)), "begun anew:", len(begun) - before)
print("under way:", said(client.wait([waiting])[0]).strip())
alive.clear(); hanging.add("older"); print("lost as older SDKs say it:", said(client.wait([client.tool("plain")])[0])); hanging.clear()
for modern in (False, True):
    log.clear(); id = client.tool("waits", modern)
    for _ in range(600):
        if "waits" in log: break
        time.sleep(0.05)
    client.send({"method": "notifications/cancelled", "params": {"requestId": id}})
    for _ in range(600):
        if "closed" in log: break
        time.sleep(0.05)
    print("cancelled:", said(client.wait([id], 0.2)[0]), "told:", "notifications/cancelled" in log, "closed:", "closed" in log)
def closing():
    heard = said(client.wait([client.tool("closes", True)])[0])
    # What is sent while the connection ends may have been taken, and is not sent again.
    while server.closing: time.sleep(0.01)
    return heard
print("closes without a word:", *(closing() for _ in range(5)))
server.shutdown(); server.server_close()
for one in list(server.open):
    try: one.shutdown(socket.SHUT_RDWR)
    except OSError: pass
print("while it restarts:", said(client.wait([client.tool("plain")])[0], True))
alive.clear(); server = serve()
print("after a restart:", said(client.wait([client.tool("plain")])[0]))
log.clear(); print("end:", client.end(), *(entry for entry in log if entry == "DELETE"))
print("== redirects")
for path in ("/moved", "/again", "/found", "/away", "/loop", "/sse"):
    client = Client(f"http://127.0.0.1:{port}{path}", begin=False)
    print(f"{path}: {said(client.wait([client.tool('plain', True)])[0]).strip()}", "end:", client.end(), flush=True)
print("== headers")
log.clear(); client = Client(begin=False)
for _ in range(2): print("weather:", said(client.wait([client.tool("weather", True, arguments={"city": "Bonn"})])[0]))
print("sent:", *log, "end:", client.end())
print("== warnings")
run = subprocess.run([command, "mcp", profile, "--allow", "TOOL *"], input='{"jsonrpc":"2.0","id":1,"Id":2,"result":{}}\n', capture_output=True, text=True)
print("told:", "an answer of the client was not sent" in run.stderr, "end:", run.returncode)
run = subprocess.run([command, "mcp", profile, "--login"], input="", capture_output=True, text=True)
print("--login:", run.stderr.strip())
print("== memory")
client = Client(); long = "x" * (59 << 20); ids = [client.tool("slow", arguments={"text": long}) for _ in range(4)]
print("answered:", sum("result" in (message or {}) for message in client.wait(ids)))
peak = next(int(line.split()[1]) >> 10 for line in open(f"/proc/{client.program.pid}/status") if line.startswith("VmHWM"))
print("four lines of 59 MiB in", "600 MiB" if peak <= 600 else f"{peak} MiB", "end:", client.end())
print("== hangs")
hanging.add("notifications/initialized"); client = Client(); held = client.tool("plain"); time.sleep(0.5)
hanging.clear(); other = Client(); print("before:", said(other.wait([other.tool("plain")])[0]))
hanging.add("initialize"); alive.discard(begun[-1])
print("a lost session:", *(said(message, True) for message in other.wait([other.tool("plain") for _ in range(3)])))
hanging.clear(); time.sleep(2)
print("later:", said(other.wait([other.tool("plain")])[0]), "end:", other.end())
print("a notification:", said(client.wait([held])[0]), "end:", client.end())
client = Client(profile, "--timeout", "1")
print("longer than the timeout:", said(client.wait([client.tool("slow")])[0]), "end:", client.end())
print("== refreshing")
hanging.update({"failing", "brief"}); login("r", "-u", "ann", password="correct horse"); time.sleep(1.5)
client = Client("r", begin=False)
print("fails:", *{said(message, True) for message in client.wait([client.tool("plain", True) for _ in range(10)])}, "tried:", len(refreshes))
time.sleep(2); hanging.clear()
print("later:", said(client.wait([client.tool("plain", True)])[0]), "tried:", len(refreshes), "end:", client.end())
hanging.add("brief"); login("r", "-u", "ann", "--force", password="correct horse")
client = Client("r", begin=False); client.wait([client.tool("plain", True)]); time.sleep(1.5)
refreshes.clear(); hanging.add("refresh"); client.tool("plain", True)
while not refreshes: time.sleep(0.05)
client.program.terminate(); print("a signal:", client.end(10))
print("== listening")
hanging.clear(); hanging.update({"listens", "refused"}); log.clear(); client = Client()
for _ in range(3): client.wait([client.tool("plain")]); until(listens); time.sleep(0.2)
print("refused:", *listens(), "end:", client.end())
hanging.remove("refused"); log.clear(); client = Client(); until(listens); time.sleep(1)
print("asked again:", len(listens()) < 15)
hanging.add("away"); until(lambda: "away" in log); log.clear(); hanging.remove("away")
client.wait([client.tool("plain")]); until(listens)
print("continues:", *listens()[:1], "end:", client.end())
print("== a login elsewhere")
hanging.clear(); subprocess.run([command, "logout", "--all"], capture_output=True)
file = os.environ["HOME"] + "/calls.jsonl"; client = Client("r", "--log", file, begin=False)
def begin(): return client.call("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "c", "version": "1"})
start = time.time(); print("before:", said(begin()), "in time:", time.time() - start < 5); login("r", "-u", "ann", password="correct horse")
print("after:", "result" in begin()); client.send({"method": "notifications/initialized"}); client.wait([client.tool("plain")])
hanging.add("over"); tokens.clear(); message = client.wait([client.tool("plain")])[0]
print("revoked:", message["error"]["code"], message["error"]["data"]["command"]); time.sleep(2)
login("r", "-u", "bob", password="battery staple"); print("of another:", *(said(client.wait([client.tool("plain")])[0]) for _ in range(2)))
print("end:", client.end(), "logged:", *dict.fromkeys(json.loads(line)["account"] for line in open(file) if "account" in line))
