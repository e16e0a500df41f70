# An HTTP proxy for CONNECT alone: carries every connection to the port BACKEND, whatever name is asked for, and writes all that the
# client sends to a file: BACKEND FILE.
import os, socket, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
talk = open(sys.argv[2], "ab", buffering=0)
def carry(source, target, note):
    try:
        while True:
            data = source.recv(65536)
            if not data: break
            note(data)
            target.sendall(data)
    except OSError: pass
    for end in (source, target):
        try: end.shutdown(socket.SHUT_RDWR)
        except OSError: pass
def serve(front):
    head = b""
    while b"\r\n\r\n" not in head:
        data = front.recv(1)
        if not data: return
        head += data
    talk.write(head)
    if not head.startswith(b"CONNECT "):
        return front.close()
    back = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    front.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    threading.Thread(target=carry, args=(back, front, lambda data: None), daemon=True).start()
    carry(front, back, talk.write)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])
while True:
    front, _ = listener.accept()
    threading.Thread(target=serve, args=(front,), daemon=True).start()
