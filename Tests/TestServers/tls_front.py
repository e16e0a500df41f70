# TLS before a plain server: CERTIFICATE KEY BACKEND-PORT.
import os, socket, ssl, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
def carry(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data: break
            target.sendall(data)
    except OSError: pass
    for end in (source, target):
        try: end.shutdown(socket.SHUT_RDWR)
        except OSError: pass
def serve(plain):
    try: front = context.wrap_socket(plain, server_side=True)
    except OSError: return
    back = socket.create_connection(("127.0.0.1", int(sys.argv[3])))
    threading.Thread(target=carry, args=(back, front), daemon=True).start()
    carry(front, back)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])
while True:
    plain, _ = listener.accept()
    threading.Thread(target=serve, args=(plain,), daemon=True).start()
