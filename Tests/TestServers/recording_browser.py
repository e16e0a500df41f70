# A browser that stands between authctl and a real one, and notes each message that authctl sends: LOG PROGRAM [ARGUMENT...]
import os, subprocess, sys, threading
log, command = open(sys.argv[1], "wb", buffering=0), sys.argv[2:]
to_browser, from_browser = os.pipe(), os.pipe()
os.set_inheritable(to_browser[0], True)
os.set_inheritable(from_browser[1], True)
def channel():
    # Away from 3 and 4 first, where the ends of the pipes may lie.
    reads, writes = os.dup2(to_browser[0], 20), os.dup2(from_browser[1], 21)
    os.dup2(reads, 3)
    os.dup2(writes, 4)
own = os.dup(3), os.dup(4)
browser = subprocess.Popen(command, close_fds=False, preexec_fn=channel)
for end in (to_browser[0], from_browser[1], 3, 4): os.close(end)
def pump(source, target, note):
    while data := os.read(source, 65536):
        if note: log.write(data)
        os.write(target, data)
    os.close(target)
threading.Thread(target=pump, args=(own[0], to_browser[1], True), daemon=True).start()
threading.Thread(target=pump, args=(from_browser[0], own[1], False), daemon=True).start()
sys.exit(browser.wait())
