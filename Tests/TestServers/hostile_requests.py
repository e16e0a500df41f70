# Sends requests that spell paths and methods in every way to AUTHCTL_SERVE_URL, byte for byte, and prints for each the status and
# the handler that ran, with tabs between them.
import os, socket, urllib.parse

url = urllib.parse.urlsplit(os.environ["AUTHCTL_SERVE_URL"])
root = url.path.rstrip("/")
here = f"http://{url.netloc}{root}"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"

paths = """
    /open/x /open/ /open/form /secret /secret/x /secret/ /SECRET /Secret/x /open/../secret /open/./../secret /open/%2e%2e/secret
    /open/%2E%2E/secret /open/.%2e/secret /open/%2e./secret /open/%2e%2e%2fsecret /open/..%2fsecret /open/..%2Fsecret
    /open%2f..%2fsecret /open%2F%2E%2E%2Fsecret /open/%252e%252e/secret /open/%252e%252e%252fsecret /open/..%252fsecret
    /open/..;/secret /open/..;x=y/secret /open;/../secret /open/%2e%2e;/secret /;/secret /secret;x /open/..%3b/secret
    /open/x;/../../secret //secret //open/../secret /open//../secret /open//..//secret ///secret /./secret /%2e/secret
    /%2fsecret /%2Fsecret%2Fx /%2e%2fsecret /%73ecret /%53ecret /secret%2fx /secret%00 /secret%20 /secret. /secret%2e
    /open\\..\\secret /open/..\\secret /open%5c..%5csecret /open/..%5csecret /open/..%5Csecret /open%5C..%2Fsecret
    /open/%c0%ae%c0%ae/secret /open/%c0%af..%c0%afsecret /open/%e0%80%ae%e0%80%ae/secret /open/%ff/../secret
    /open/x%2f..%2f..%2fsecret /open/x/..%2f../secret /open/form/../../secret /open/x?/../../secret /open/x%3f/../../secret
    /open/x%3f/%2e%2e/%2e%2e/secret /open/x%23/../../secret /open/%u002e%u002e/secret /open/%uff0e%uff0e/secret
    /open/%ef%bc%8e%ef%bc%8e/secret /open/%e2%80%a5/secret /open/..%00/secret /open/..%09/secret /open/..%20/secret
    /open/%20../secret /open/.../secret /open/..%0d%0a/secret /open/%2e%2e%00/secret /open/x/%2e%2e/%2e%2e/secret
    /open/%2e%2e%2f%2e%2e%2fsecret /open/..%2f..%2fsecret /open/.%00./secret /open/.%2f../secret /open/%2e%2f%2e%2e%2fsecret
    /open/%/../secret /open/%zz/../secret /open/..%c0%afsecret /open/..%ef%bc%8fsecret /open/..%e2%88%95secret
    /open%00/../secret /open/%252e%252e%255csecret /open/..%255csecret /open/%2e%2e%5c%2e%2e%5csecret /OPEN/../secret
    /open/~/../../secret /open/x%2F%2F..%2F..%2Fsecret /%6fpen/%2e%2e/secret /%2e%2e/secret /../secret /open/..%2f%2fsecret
""".split()

cases = [(f"GET {path}", "GET", path, [], b"") for path in paths]
cases += [(f"{method} /open/x", method, "/open/x", [], b"")
          for method in ["DELETE", "PUT", "PATCH", "POST", "MOVE", "COPY", "get", "delete", "Post", "GETX"]]
cases += [("POST /open/form", "POST", "/open/form", [("Content-Type", FORM)], b"a=b"),
          ("delete /open/form", "delete", "/open/form", [], b""), ("DELETE /open/form", "DELETE", "/open/form", [], b"")]
for name in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X_HTTP_METHOD_OVERRIDE", "x-http_method-override",
             "X.HTTP.Method.Override", "X-HTTP-Method-Override "]:
    cases.append((f"POST /open/form, {name}: DELETE", "POST", "/open/form", [(name, "DELETE"), ("Content-Type", FORM)], b"a=b"))
for name in ["X-Original-URL", "X-Rewrite-URL", "X_Original_URL", "X-Forwarded-Prefix"]:
    cases.append((f"GET /open/x, {name}: /secret", "GET", "/open/x", [(name, "/secret")], b""))
for query in ["_method=DELETE", "a&_method=DELETE", "%5Fmethod=DELETE", "_%6Dethod=DELETE", "_method[]=DELETE", ".method=DELETE",
              "a;_method=DELETE", "+_method=DELETE", "%20_method=DELETE", "_method%00=DELETE", "_method=DELETE&_method=POST",
              "%255Fmethod=DELETE", "_METHOD=DELETE", "a=b%26_method=DELETE"]:
    cases.append((f"POST /open/form?{query}", "POST", f"/open/form?{query}", [("Content-Type", FORM)], b"a=b"))
bodies = [b"_method=DELETE", b"_method=delete", b"a=b&_method=DELETE", b"%5Fmethod=DELETE", b"%5f%6d%65thod=DELETE",
          b"_method=POST&_method=DELETE", b"_method=DELETE&_method=POST", b"_method[]=DELETE", b"_method[a]=DELETE",
          b".method=DELETE", b" _method=DELETE", b"+_method=DELETE", b"_method%00=DELETE", b"_method%00x=DELETE",
          b"a;_method=DELETE", b"_method=%44ELETE", b"_method=DELETE%20", b"_method=+DELETE", b"_method=DELETE%00",
          b"_method=\xefDELETE", b"_method =DELETE", b"_method%20=DELETE", b"&&_method=DELETE&&", b"\r\n_method=DELETE",
          b"[_method=DELETE", b"[_method]=DELETE", b"_method]=DELETE", b"x[_method=DELETE", b"a=b\n&_method=DELETE",
          b"_method=DELETE\r\n", b"_method", b"_method=&_method=DELETE", b"a=" + b"x" * 70000 + b"&b=c"]
types = [FORM, FORM.upper(), FORM + "; charset=utf-8", FORM + ", text/plain", FORM + ";a", " " + FORM, None, "",
         "text/plain, " + FORM, FORM + "; charset=utf-16"]
cases += [(f"POST form {body[:30]!r}", "POST", "/open/form", [("Content-Type", FORM)], body) for body in bodies]
cases += [(f"POST form as {type}", "POST", "/open/form", [("Content-Type", type)] if type is not None else [], b"_method=DELETE")
          for type in types]
cases += [
    ("POST form, type dropped by Connection", "POST", "/open/form",
     [("Content-Type", "text/plain"), ("Connection", "Content-Type")], b"_method=DELETE"),
    ("POST form, type twice", "POST", "/open/form", [("Content-Type", "text/plain"), ("Content-Type", FORM)], b"_method=DELETE"),
    ("POST form, type twice, other order", "POST", "/open/form", [("Content-Type", FORM), ("Content-Type", "text/plain")],
     b"_method=DELETE"),
    ("POST form, Content_Type", "POST", "/open/form", [("Content_Type", FORM), ("Content-Type", "text/plain")], b"_method=DELETE"),
    ("POST form, Content_Type alone", "POST", "/open/form", [("Content_Type", FORM)], b"_method=DELETE"),
    ("POST form as GET", "GET", "/open/form", [("Content-Type", FORM)], b"_method=DELETE"),
    ("POST form, chunked", "POST", "/open/form", [("Content-Type", FORM), ("Transfer-Encoding", "chunked")],
     b"7\r\n_method\r\n7\r\n=DELETE\r\n0\r\n\r\n"),
]
for body in [b'{"_method":"DELETE"}', b'{"\\u005fmethod":"DELETE"}', b'{"a":1,"_method":"POST","_method":"DELETE"}',
             b'{"_method":"DELETE","_method":"POST"}', b'{"_method":"delete"}', b'{"_method":["DELETE"]}', b'{"a":{"_method":"DELETE"}}',
             b'\xef\xbb\xbf{"_method":"DELETE"}', '{"_method":"DELETE"}'.encode("utf-16"), '{"_method":"DELETE"}'.encode("utf-16le"),
             '{"_method":"DELETE"}'.encode("utf-32le"), b'{"_method":"DELETE",}', b'{"_method":"DELETE"', b'{"_method":"\\u0044ELETE"}',
             b' \n{ "_method" : "DELETE" }', b'{"_method\\u0000":"DELETE"}', b"{'_method':'DELETE'}", b'{"a":1e999999,"_method":"DELETE"}',
             b'[' * 80 + b']' * 80, b'{"a":NaN,"_method":"DELETE"}', b'{"_method":"DELETE"}{"_method":"POST"}',
             b'{"\xff":1,"_method":"DELETE"}']:
    cases.append((f"POST json {body[:40]!r}", "POST", "/open/form", [("Content-Type", JSON)], body))
cases += [("POST json as application/x+json", "POST", "/open/form", [("Content-Type", "application/x+json")], b'{"_method":"DELETE"}'),
          ("POST json as text/json", "POST", "/open/form", [("Content-Type", "text/json")], b'{"_method":"DELETE"}'),
          ("POST json untyped", "POST", "/open/form", [], b'{"_method":"DELETE"}')]


def part(disposition, value=b"DELETE", more=""):
    return f"Content-Disposition: {disposition}\r\n{more}\r\n".encode() + value


def multipart(*parts, boundary=b"b", end=b"\r\n", close=True):
    text = b"".join(b"--" + boundary + end + p + end for p in parts)
    return text + (b"--" + boundary + b"--" + end if close else b"")


hidden = part('form-data; name="_method"')
parts = {
    "plain": multipart(hidden), "second": multipart(part('form-data; name="a"', b"b"), hidden),
    "token": multipart(part("form-data; name=_method")), "single quotes": multipart(part("form-data; name='_method'")),
    "capitals": multipart(part('FORM-DATA; NAME="_method"')), "extended": multipart(part("form-data; name*=utf-8''_method")),
    "extended, percent": multipart(part("form-data; name*=utf-8''%5Fmethod")),
    "continued": multipart(part('form-data; name*0="_met"; name*1="hod"')),
    "both": multipart(part("form-data; name=\"a\"; name*=utf-8''_method")),
    "twice": multipart(part('form-data; name="a"; name="_method"')), "twice, first": multipart(part('form-data; name="_method"; name="a"')),
    "backslash": multipart(part('form-data; name="\\_method"')), "backslash, quote": multipart(part('form-data; name="a\\"; name="_method"')),
    "quote in file": multipart(part('form-data; filename="a\\"; name="_method"; x=""')),
    "encoded word": multipart(part('form-data; name="=?utf-8?Q?=5Fmethod?="')), "percent": multipart(part('form-data; name="%5Fmethod"')),
    "folded": multipart(b'Content-Disposition: form-data;\r\n name="_method"\r\n\r\nDELETE'),
    "folded, tab": multipart(b'Content-Disposition:\r\n\tform-data; name="_method"\r\n\r\nDELETE'),
    "two headers": multipart(b'Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="_method"\r\n\r\nDELETE'),
    "no form-data": multipart(part('attachment; name="_method"')), "empty type": multipart(part('; name="_method"')),
    "content id": multipart(b"Content-ID: _method\r\n\r\nDELETE"), "no blank": multipart(part('form-data;name="_method"')),
    "lf": multipart(b'Content-Disposition: form-data; name="_method"\n\nDELETE', end=b"\n"),
    "lf in head": multipart(b'Content-Disposition: form-data; name="_method"\n\nDELETE'),
    "cr in head": multipart(b'Content-Disposition: form-data; name="_method"\r\rDELETE'),
    "preamble": b"preamble\r\n" + multipart(hidden), "crlf first": b"\r\n" + multipart(hidden),
    "preamble hides": b"--c\r\n" + multipart(hidden), "epilogue": multipart(part('form-data; name="a"', b"b")) + multipart(hidden),
    "not closed": multipart(hidden, close=False), "blank behind": multipart(hidden).replace(b"--b\r\n", b"--b \r\n"),
    "longer boundary": multipart(part('form-data; name="a"', b"b\r\n--bb\r\n" + hidden)),
    "inner delimiter": multipart(part('form-data; name="a"', b"b\n--b\n" + hidden)),
    "inner delimiter, cr": multipart(part('form-data; name="a"', b"b\r--b\r\n" + hidden)),
    "base64": multipart(part('form-data; name="_method"', b"REVMRVRF", "Content-Transfer-Encoding: base64\r\n")),
    "quoted-printable": multipart(part('form-data; name="_method"', b"=44ELETE", "Content-Transfer-Encoding: quoted-printable\r\n")),
    "utf-16": multipart(part('form-data; name="_method"', "DELETE".encode("utf-16le"), "Content-Type: text/plain; charset=utf-16le\r\n")),
    "file": multipart(part('form-data; name="_method"; filename="x"')), "file, empty": multipart(part('form-data; name="_method"; filename=""')),
    "array": multipart(part('form-data; name="_method[]"')), "dot": multipart(part('form-data; name=".method"')),
    "nul": multipart(part('form-data; name="_method\0x"')), "colon": multipart(b'Content-Disposition : form-data; name="_method"\r\n\r\nDELETE'),
    "charset field": multipart(part('form-data; name="_charset_"', b"utf-7"), part('form-data; name="+AF8-method"')),
    "big": multipart(part('form-data; name="f"; filename="f"', b"x" * 60000), hidden),
    "64 KiB": multipart(part('form-data; name="f"; filename="f"', b"x" * (65536 - 83)), hidden),
}
cases += [(f"POST multipart {name}", "POST", "/open/form", [("Content-Type", "multipart/form-data; boundary=b")], body)
          for name, body in parts.items()]
for type in ["multipart/form-data; boundary=c; boundary=b", "multipart/form-data; boundary=b; boundary=c", 'multipart/form-data; boundary="b"',
             "multipart/form-data; boundary=b, multipart/form-data; boundary=c", "multipart/form-data; boundary*=utf-8''b",
             "MULTIPART/FORM-DATA; BOUNDARY=b", "multipart/form-data;boundary=b", "multipart/form-data; boundary = b",
             "multipart/form-data; boundary='b'", "multipart/form-data; x=\"; boundary=c; y=\"; boundary=b", "multipart/mixed; boundary=b",
             "multipart/form-data boundary=b", "text/plain; multipart/form-data; boundary=b", "multipart/form-data; a=b; boundary=b;"]:
    cases.append((f"POST multipart as {type}", "POST", "/open/form", [("Content-Type", type)], multipart(hidden)))
cases += [("COPY with Destination", "COPY", "/open/x", [("Destination", here + "/secret")], b""),
          ("MOVE with Destination", "MOVE", "/open/x", [("Destination", here + "/open/../secret")], b""),
          ("GET as a WebSocket", "GET", "/open/x", [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
                                                    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")], b"")]


def send(method, path, fields, body):
    lines = [f"{method} {root}{path} HTTP/1.1", f"Host: {url.netloc}"]
    lines += [f"{name}: {value}" for name, value in fields]
    if not any(name == "Connection" for name, _ in fields):
        lines.append("Connection: close")
    if body and not any(name == "Transfer-Encoding" for name, _ in fields):
        lines.append(f"Content-Length: {len(body)}")
    with socket.create_connection((url.hostname, url.port), timeout=20) as service:
        try:
            service.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        except OSError:
            pass
        head = b""
        while b"\r\n\r\n" not in head:
            piece = service.recv(65536)
            if not piece:
                break
            head += piece
    texts = head.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    status = texts[0].split(" ")[1] if len(texts[0].split(" ")) > 1 else "-"
    handlers = [text.split(":", 1)[1].strip() for text in texts[1:] if text.lower().startswith("x-handler:")]
    return status, handlers[-1] if handlers else "-"


for label, method, path, fields, body in cases:
    try:
        status, handler = send(method, path, fields, body)
    except OSError as error:
        status, handler = "-", "-"
    print(ascii(label)[1:-1], status, handler, sep="\t", flush=True)
