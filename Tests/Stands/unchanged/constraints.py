# Which libraries keep an authority to the host that it is constrained to (RFC 5280, section 4.2.1.10): FOLDER. Makes the authority of a
# run by authctl's own code, and a certificate for another host that authctl never signs. Prints a line for each library: whether a client
# sends a request to the host, and to the other. A client that is not installed is left out.
import os, shutil, socket, ssl, subprocess, sys, threading
folder, here = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
HOSTS, sources, asked = ["good.example.test", "other.example.test"], here + "/../../../Sources", set()

def run(command, **more):
    # Chromium leaves processes behind that would hold a pipe open.
    with open(folder + "/log", "a") as log:
        return subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=120, **more)

def serve(connection):
    """A proxy, and whatever host a client asks it for."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096) or b"\r\n\r\n"
    host = head.decode().split(" ")[1].split(":")[0] if head.startswith(b"CONNECT ") else ""
    if host not in HOSTS:
        return connection.close()
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/{host}.pem")
    try:
        with context.wrap_socket(connection, server_side=True) as secure:
            if secure.recv(4096):
                asked.add(host)
                secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    except OSError:
        pass

def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

JAVA = 'public class C { public static void main(String[] a) throws Exception { new java.net.URL(a[0]).openStream().readAllBytes(); } }'
NSS = "[ -e .pki ] || { mkdir -p .pki/nssdb && certutil -N -d sql:.pki/nssdb --empty-password && certutil -A -d sql:.pki/nssdb -t C,, -n run -i root.pem; }; "
CLIENTS = {
    "OpenSSL": ("curl", "curl -q -sS --cacert root.pem https://$H/"),
    "GnuTLS": ("wget", "wget --no-config -t 1 -qO- --ca-certificate=root.pem https://$H/"),
    "Go": ("gh", "GH_CONFIG_DIR=$PWD GH_HOST=$H GH_ENTERPRISE_TOKEN=none gh api user"),
    "rustls": ("uv", "uv pip install -q --no-cache --target $H --default-index https://$H/ demo"),
    "NSS": ("certutil", NSS + "timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir=$PWD/c --dump-dom https://$H/"),
    "Java": ("keytool", f"echo '{JAVA}' > C.java; [ -e s ] || keytool -importcert -noprompt -storepass changeit -keystore s -file root.pem; "
             "java -Djavax.net.ssl.trustStore=s -Djavax.net.ssl.trustStorePassword=changeit -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=$PORT C.java https://$H/"),
}
built = run(f"${{CC:-cc}} -o make -I{sources}/CCrypto/include -I{sources}/CLibrary/include '{here}/constraints.c' {sources}/CLibrary/*.c -ldl"
            f" && ./make . {' '.join(HOSTS)}")
if built.returncode != 0:
    sys.exit(open(folder + "/log").read())
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
threading.Thread(target=accept, daemon=True).start()
environment = {"PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"], "HOME": folder, "SSL_CERT_FILE": folder + "/root.pem",
               "UV_NATIVE_TLS": "true", "https_proxy": f"http://127.0.0.1:{port}", "HTTPS_PROXY": f"http://127.0.0.1:{port}", "PORT": str(port)}
for library, (program, command) in CLIENTS.items():
    if not shutil.which(program, path=environment["PATH"]):
        continue
    for host in HOSTS:
        run(command, env={**environment, "H": host})
    print(library + ":", *("accepted" if host in asked else "refused" for host in HOSTS), flush=True)
    asked.clear()
