# Ends all that the script started when standard input ends. The variables say where the packages of PyPI
# are, ada's password, and how many servers of this kind this port has had. Temporary files lie in the
# server's folder: a MariaDB that starts removes the temporary tables of every other one beside them.
import os, signal, subprocess, sys, threading
cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ["HOME"], ".cache")
os.environ["VENV"] = os.path.join(cache, "authctl-tests", "presets-venv")
os.environ["PASSWORD"], os.environ["STARTS"] = sys.argv[1:3]
os.environ["TMPDIR"] = os.path.join(sys.argv[4], "temporary")
os.mkdir(os.environ["TMPDIR"])
# Some servers run as somebody else.
os.chmod(os.environ["TMPDIR"], 0o1777)
server = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, start_new_session=True)
def end(number):
    try: os.killpg(server.pid, number)
    except ProcessLookupError: pass
def wait():
    sys.stdin.buffer.read()
    end(signal.SIGTERM)
threading.Thread(target=wait, daemon=True).start()
server.wait()
end(signal.SIGKILL)
# The thread still reads, and an interpreter that ends meanwhile would complain about that instead of what the server said.
os._exit(0)
