#!/usr/bin/env python3
# A person with a browser: [--stay] [--deny] [--code CODE] URL. Logs in, consents, goes where the answers lead.
import html.parser, http.cookiejar, json, os, re, sys, urllib.error, urllib.parse, urllib.request
here = os.path.dirname(os.path.abspath(__file__))
me = json.load(open(here + "/person.json"))
words, stays, denies, code = sys.argv[1:], False, False, None
while words and words[0].startswith("--"):
    word = words.pop(0)
    if word == "--stay":
        stays = True
    elif word == "--deny":
        denies = True
    elif word == "--code":
        code = words.pop(0)
url, = words

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.forms, self.words, self.hidden, self.button = [], [], 0, None
        self.feed(text)
    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag in ("script", "style", "head"):
            self.hidden += 1
        if tag == "form":
            self.forms.append({"action": given.get("action") or "", "fields": [], "buttons": [],
                               "method": (given.get("method") or "get").lower()})
        elif self.forms and tag in ("input", "button"):
            kind = (given.get("type") or ("submit" if tag == "button" else "text")).lower()
            field = {"name": given.get("name"), "value": given.get("value") or "", "kind": kind, "text": ""}
            if kind == "submit":
                self.forms[-1]["buttons"].append(field)
                self.button = field if tag == "button" else None
            elif kind not in ("checkbox", "radio") or "checked" in given:
                self.forms[-1]["fields"].append(field)
    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style", "head")
        self.button = None if tag == "button" else self.button
    def handle_data(self, data):
        if self.button:
            self.button["text"] += data
        elif not self.hidden and data.strip():
            self.words.append(data.strip())

class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None

opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(), NoRedirect())
visited = []
def ask(url, data=None, method=None, kind=None):
    headers = {"Content-Type": kind} if kind else {}
    if visited:
        headers["Referer"] = visited[-1]["address"]
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        answer = opener.open(request, timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read().decode("utf-8", "replace")
    visited.append({"address": url, "status": answer.status, "method": request.get_method()})
    return answer.status, answer.headers.get("Location"), text

def origin(url):
    return urllib.parse.urlsplit(url)[:2]

def end(address, status, text, good):
    result = {"address": address, "status": status, "text": text, "visited": visited}
    with open(here + "/visited.json.new", "w") as file:
        json.dump(result, file)
    os.rename(file.name, here + "/visited.json")
    json.dump(result, sys.stdout)
    sys.exit(0 if good else 1)

def glewlwyd(page):
    """What the script of its login page does, by the same requests; where it goes on."""
    place, given = page.split("/login.html")[0], dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page).query))
    typed = any("?code=" in step["address"] for step in visited)
    if given.get("prompt") == "device" and code and not typed:
        return place + "/api/oidc/device?code=" + urllib.parse.quote(code)
    if "client_id" not in given or denies:
        end(page, 200, given.get("prompt", ""), given.get("prompt") == "deviceComplete")
    scope = given.get("scope", "")
    login = json.dumps({"username": me["name"], "password": me["password"]}).encode()
    grant = json.dumps({"scope": scope}).encode()
    status, _, text = ask(place + "/api/auth/", login, kind="application/json")
    if status != 200:
        end(page, status, text, False)
    status, _, text = ask(place + "/api/auth/grant/" + given["client_id"], grant, "PUT", "application/json")
    if status != 200:
        end(page, status, text, False)
    callback = given["callback_url"]
    return callback + ("&" if "?" in callback else "?") + "g_continue"

first, data, logins = origin(url), None, 0
for _ in range(20):
    status, location, text = ask(url, data)
    if 300 <= status < 400 and location:
        url, data = urllib.parse.urljoin(url, location), None
        if "/login.html?" in url and origin(url) == first:
            url = glewlwyd(url)
        if stays and origin(url) != first:
            end(url, status, "", True)
        continue
    page, form = Page(text), None
    approves = r"allow|approve|authorize|continue|log ?in|sign ?in"
    wanted = r"deny|cancel|decline" if denies else approves
    for candidate in page.forms if origin(url) == first else []:
        has_password = any(field["kind"] == "password" for field in candidate["fields"])
        named = [button for button in candidate["buttons"]
                 if re.search(wanted, " ".join([button["name"] or "", button["value"], button["text"]]), re.I)]
        if has_password or named:
            form = candidate, has_password, (named or candidate["buttons"] or [{"name": None}])[0]
            break
    if status != 200 or not form:
        end(url, status, " ".join(page.words) or text, status < 400)
    form, has_password, button = form
    logins += has_password
    if logins > 2:
        end(url, status, " ".join(page.words), False)
    answer = []
    for field in form["fields"]:
        value = field["value"]
        if field["kind"] == "password":
            value = me["password"]
        elif field["kind"] in ("text", "email") and re.search(r"user_?code", field["name"] or ""):
            value = code or value
        elif field["kind"] in ("text", "email") and has_password:
            value = me["name"]
        if field["name"]:
            answer.append((field["name"], value))
    if button["name"]:
        answer.append((button["name"], button["value"]))
    answer, place = urllib.parse.urlencode(answer), urllib.parse.urljoin(url, form["action"])
    if form["method"] == "post":
        url, data = place, answer.encode()
    else:
        url, data = place.split("?")[0] + "?" + answer, None
end(url, 0, "", False)
