# Carries connections to the port BACKEND, and writes all bytes of both ways to a file: BACKEND FILE [HELD], where HELD is a regular
# expression: a request that fits it is written there, and never arrives.
import os, re, socket, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
talk = open(sys.argv[2], "ab", buffering=0)
held = re.compile(sys.argv[3].encode(), re.S) if len(sys.argv) > 3 else None
def carry(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data: break
            talk.write(data)
            if held and held.match(data): talk.write(b"(held)\n")
            else: target.sendall(data)
    except OSError: pass
    for end in (source, target):
        try: end.shutdown(socket.SHUT_RDWR)
        except OSError: pass
def serve(front):
    back = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    threading.Thread(target=carry, args=(back, front), daemon=True).start()
    carry(front, back)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])
while True:
    front, _ = listener.accept()
    threading.Thread(target=serve, args=(front,), daemon=True).start()
