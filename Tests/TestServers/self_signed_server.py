# Answers every request with {}, by TLS, and prints what it got to standard error: CERTIFICATE KEY.
import os, socket, ssl, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])
while True:
    plain, _ = listener.accept()
    plain.settimeout(5)
    try:
        with context.wrap_socket(plain, server_side=True) as tls:
            data = tls.recv(65536)
            sys.stderr.write(data.decode("latin-1"))
            tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    except OSError: pass
