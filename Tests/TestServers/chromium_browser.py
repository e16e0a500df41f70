#!/usr/bin/env python3
# A person with a real browser: URL. Logs in, approves, and leaves what stood on the last page.
import base64, ctypes, fcntl, json, os, select, signal, subprocess, sys, time
here = os.path.dirname(os.path.abspath(__file__))
me, url = json.load(open(here + "/person.json")), sys.argv[1]
deadline = time.monotonic() + 60
commands, answers = os.pipe(), os.pipe()
ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in (commands[0], answers[1])]
# Whatever its parent leaves behind becomes this one's to wait for (PR_SET_CHILD_SUBREAPER).
ctypes.CDLL(None).prctl(36, 1)
die_with_parent = lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL)
chromium = subprocess.Popen(
    # Descriptor 3 is what it reads, 4 what it writes.
    ["/bin/bash", "-c", 'exec "$@" 3<&%d 4>&%d' % tuple(ends), "bash", me["program"], "--headless=new",
     # Nobody but the servers of a test is visited, and root has no sandbox.
     "--no-sandbox", "--remote-debugging-pipe", "--user-data-dir=" + here + "/profile", "--disable-gpu",
     "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check", "--disable-sync",
     "--no-proxy-server",
     "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-breakpad",
     "--password-store=basic", "--window-size=900,700",
     "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]",
     "about:blank"],
    env=dict(os.environ, HOME=here), pass_fds=ends, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    stderr=open(here + "/chromium.log", "w"), preexec_fn=die_with_parent, start_new_session=True)
for end in ends + [commands[0], answers[1]]:
    os.close(end)
number, unread, result = 0, b"", None

def tell(method, session=None, **parameters):
    """Sends a command, and returns its result; an error is none."""
    global number, unread
    number += 1
    message = {"id": number, "method": method, "params": parameters}
    if session:
        message["sessionId"] = session
    os.write(commands[1], json.dumps(message).encode() + b"\0")
    while True:
        while b"\0" in unread:
            line, unread = unread.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer.get("result", {})
        if not select.select([answers[0]], [], [], max(0, deadline - time.monotonic()))[0]:
            raise TimeoutError(method)
        more = os.read(answers[0], 1 << 20)
        if not more:
            raise EOFError(method)
        unread += more

# What a person sees of a page, and would do there. One that was answered is left alone until the next one is there.
LOOK = """(me => {
    if (document.readyState != 'complete' || window.answered) return {waits: true};
    const here = {address: location.href, text: document.body ? document.body.innerText : ''};
    const wanted = /approve|allow|authorize|continue|log ?in|sign ?in/i;
    for (const form of location.origin == me.origin ? document.forms : []) {
        const password = form.querySelector('input[type=password]');
        const buttons = [...form.querySelectorAll('button, input[type=submit]')];
        const button = buttons.find(b => wanted.test(b.name + ' ' + b.value + ' ' + b.textContent));
        if (!button && !password) continue;
        if (password) {
            password.value = me.password;
            const name = form.querySelector('input[name*=user], input[type=text], input:not([type])');
            if (name) name.value = me.name;
        }
        window.button = button || buttons[0];
        return {...here, asks: true};
    }
    return here;
})(%s)"""

def look(session):
    words = json.dumps({"name": me["name"], "password": me["password"], "origin": "/".join(url.split("/")[:3])})
    answer = tell("Runtime.evaluate", session, expression=LOOK % words, returnByValue=True)
    return answer.get("result", {}).get("value") or {"waits": True}

def picture(session, name):
    data = tell("Page.captureScreenshot", session, format="png").get("data", "")
    with open(here + "/" + name, "wb") as file:
        file.write(base64.b64decode(data))

status = 1
try:
    page = next(each for each in tell("Target.getTargets")["targetInfos"] if each["type"] == "page")
    session = tell("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
    tell("Page.enable", session)
    tell("Page.navigate", session, url=url)
    seen, asked = None, 0
    # Its folder goes with the test that wants it.
    while os.path.isdir(here):
        view = look(session)
        if view.get("asks") and asked < 6:
            asked += 1
            picture(session, "consent.png")
            tell("Runtime.evaluate", session, expression="window.answered = true; window.button.click()",
                 userGesture=True)
            seen = None
        elif not view.get("waits") and view["address"] != "about:blank":
            if seen == view:
                break
            seen = view
        time.sleep(0.1)
    picture(session, "page.png")
    result = json.dumps({"address": view["address"], "text": view["text"]})
    status = 0 if view["address"].startswith("http") and not view.get("asks") else 1
    tell("Browser.close")
    chromium.wait(5)
except (EOFError, OSError, StopIteration, TimeoutError, subprocess.TimeoutExpired) as error:
    print("chromium: %r" % error, file=sys.stderr)
finally:
    try:
        os.killpg(chromium.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    chromium.wait()
    # Its other processes write to the folder until their end.
    for _ in range(300):
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
        except ChildProcessError:
            break
if result and os.path.isdir(here):
    with open(here + "/visited.json.new", "w") as file:
        file.write(result)
    os.rename(file.name, here + "/visited.json")
    print(result)
sys.exit(status)
