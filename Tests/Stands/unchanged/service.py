# A service whose login is a cookie, and what programs ask services of their kind for: FOLDER. Prints its port. Every request is a line
# of FOLDER/requests: whether it had the session, method and path.
import asyncio, hashlib, io, json, os, secrets, socket, subprocess, sys, tarfile, threading, zipfile
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
import uvicorn
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.websockets import WebSocket
folder, url = os.path.abspath(sys.argv[1]), "https://api.example.test"
files, log, sessions = folder + "/files", open(folder + "/requests", "a", buffering=1), set()
blobs, manifests, uploads = {}, {}, {}

def write(name, content):
    path = files + "/" + name
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)

def archive(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()

def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()

def packages():
    """A wheel, an npm package, a crate, an image and a git repository."""
    wheel, about = io.BytesIO(), "demo_pkg-1.0.dist-info/"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("demo_pkg/__init__.py", "")
        file.writestr(about + "METADATA", "Metadata-Version: 2.1\nName: demo-pkg\nVersion: 1.0\n")
        file.writestr(about + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(about + "RECORD", "demo_pkg/__init__.py,,\n" + "".join(f"{about}{n},,\n" for n in ("METADATA", "WHEEL", "RECORD")))
    name = "demo_pkg-1.0-py3-none-any.whl"
    write("simple/demo-pkg/" + name, wheel.getvalue())
    write("simple/demo-pkg/index.html", f'<!DOCTYPE html><html><body><a href="{url}/files/simple/demo-pkg/{name}">{name}</a></body></html>')
    about = {"name": "demo-npm", "version": "1.0.0"}
    tarball = archive({"package/package.json": json.dumps(about)})
    write("hello.mp4", "hello ann")
    write("npm/demo-npm/-/demo-npm-1.0.0.tgz", tarball)
    dist = {"shasum": hashlib.sha1(tarball).hexdigest(), "tarball": url + "/files/npm/demo-npm/-/demo-npm-1.0.0.tgz"}
    write("npm/demo-npm/index.json", json.dumps({"name": "demo-npm", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {**about, "dist": dist}}}))
    crate = archive({"demo-rs-1.0.0/Cargo.toml": '[package]\nname = "demo-rs"\nversion = "1.0.0"\n', "demo-rs-1.0.0/src/lib.rs": ""})
    write("cargo/demo-rs.crate", crate)
    write("cargo/config.json", json.dumps({"dl": url + "/files/cargo/{crate}.crate"}))
    write("cargo/de/mo/demo-rs", json.dumps({"name": "demo-rs", "vers": "1.0.0", "deps": [], "cksum": digest(crate)[7:], "features": {}, "yanked": False}) + "\n")
    layer = io.BytesIO()
    tarfile.open(fileobj=layer, mode="w").close()
    layer = layer.getvalue()
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [digest(layer)]}}).encode()
    kind = "application/vnd.oci.image."
    def part(data, name):
        blobs[digest(data)] = data
        return {"mediaType": kind + name, "digest": digest(data), "size": len(data)}
    keep_manifest("x/y", "1", kind + "manifest.v1+json", json.dumps({
        "schemaVersion": 2, "mediaType": kind + "manifest.v1+json", "config": part(config, "config.v1+json"), "layers": [part(layer, "layer.v1.tar")]}).encode())
    git = ["git", "-c", "init.defaultBranch=main", "-c", "user.name=ann", "-c", "user.email=ann@example.test"]
    for words in (["init", "-q", "--bare", "r.git"], ["-C", "r.git", "config", "http.receivepack", "true"], ["clone", "-q", "r.git", "w"],
                  ["-C", "w", "commit", "-q", "--allow-empty", "-m", "one"], ["-C", "w", "push", "-q", "origin", "HEAD"]):
        subprocess.run(git + words, cwd=folder, check=True, stderr=subprocess.DEVNULL)

def keep_manifest(name, tag, kind, data):
    manifests[name, tag] = manifests[name, digest(data)] = (data, kind)

async def git(request, path):
    variables = {"GIT_PROJECT_ROOT": folder, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "REQUEST_METHOD": request.method,
                 "QUERY_STRING": request.url.query, "CONTENT_TYPE": request.headers.get("content-type", ""), "REMOTE_USER": "ann",
                 "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""), "GIT_PROTOCOL": request.headers.get("git-protocol", "")}
    body = await request.body()
    backend = await asyncio.create_subprocess_exec(
        "git", "http-backend", stdin=-1, stdout=-1, env={**os.environ, **variables, "CONTENT_LENGTH": str(len(body))})
    head, _, body = (await backend.communicate(body))[0].partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    return Response(body, int(fields.pop("Status", "200").split()[0]), fields)

async def registry(request, path):
    """The protocol of container registries."""
    if path == "/":
        return JSONResponse({})
    if "/blobs/uploads/" in path:
        name, _, upload = path.partition("/blobs/uploads/")
        upload = upload or secrets.token_hex(8)
        uploads[upload] = uploads.get(upload, b"") + await request.body()
        fields = {"Location": f"/v2{name}/blobs/uploads/{upload}", "Range": f"0-{max(len(uploads[upload]) - 1, 0)}"}
        if request.method != "PUT":
            return Response(status_code=202, headers=fields)
        blobs[request.query_params["digest"]] = uploads.pop(upload)
        return Response(status_code=201, headers={"Location": f"/v2{name}/blobs/{request.query_params['digest']}"})
    name, kind, reference = path[1:].rsplit("/", 2)
    if kind == "manifests" and request.method == "PUT":
        keep_manifest(name, reference, request.headers["content-type"], await request.body())
    data, kind = manifests.get((name, reference), (None, None)) if kind == "manifests" else (blobs.get(reference), "application/octet-stream")
    if data is None:
        return JSONResponse({"errors": [{"code": "UNKNOWN"}]}, 404)
    return Response(data, 201 if request.method == "PUT" else 200, {"Docker-Content-Digest": digest(data)}, kind)

async def restic(request, path):
    """The REST backend of restic, and files for everybody else."""
    place = os.path.normpath(files + "/restic" + path)
    if request.method == "POST":
        if not request.query_params:
            write("restic" + path, await request.body())
        return Response()
    if os.path.isdir(place) or path.endswith("/"):
        names = os.listdir(place) if os.path.isdir(place) else []
        entries = [{"name": name, "size": os.path.getsize(f"{place}/{name}")} for name in names]
        return Response(json.dumps(entries), media_type="application/vnd.x.restic.rest.v2")
    if request.method == "DELETE":
        os.unlink(place)
        return Response()
    return FileResponse(place) if os.path.isfile(place) else Response(status_code=404)

async def file(request, path):
    for name in (path, path + "/index.html", path + "/index.json"):
        place = os.path.normpath(files + name)
        if place.startswith(files) and os.path.isfile(place):
            return FileResponse(place)
    return Response(status_code=404)

async def dav(request, path):
    await request.body()
    if request.method == "OPTIONS":
        return Response(headers={"DAV": "1,2", "Allow": "OPTIONS,PROPFIND,GET"})
    def entry(name, kind):
        return (f"<D:response><D:href>/dav/{name}</D:href><D:propstat><D:prop><D:resourcetype>{kind}</D:resourcetype>"
                "<D:getcontentlength>6</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>")
    text = '<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">' + entry("", "<D:collection/>") + entry("hello-ann", "") + "</D:multistatus>"
    return Response(text, 207, media_type="application/xml")

async def bucket(request, path):
    return Response('<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><IsTruncated>'
                    "false</IsTruncated><Contents><Key>hello-ann</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>\"x\"</ETag>"
                    "<Size>6</Size><StorageClass>STANDARD</StorageClass></Contents></ListBucketResult>", media_type="application/xml")

async def mercurial(request, path):
    answers = {"capabilities": "lookup", "lookup": "1 " + "abcd" * 10 + "\n"}
    return Response(answers.get(request.query_params.get("cmd"), ""), media_type="application/mercurial-0.1")

pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "hello-ann", "namespace": "default"}}
kinds = [{"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]}]
answers = {"/me": {"name": "ann"}, "/api/v3/user": {"login": "ann"}, "/api": {"kind": "APIVersions", "versions": ["v1"]},
           "/apis": {"kind": "APIGroupList", "groups": []}, "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": kinds},
           "/api/v1/namespaces/default/pods": {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [pod]}}
folders = {"git": git, "v2": registry, "restic": restic, "files": file, "dav": dav, "bucket": bucket, "hg": mercurial}

async def answer(request, path):
    if path == "/hello":
        return PlainTextResponse("hello ann\n")
    if path == "/html":
        return HTMLResponse("<title>t</title><p>hello ann</p>")
    if path in answers:
        return JSONResponse(answers[path])
    first, _, rest = path[1:].partition("/")
    return await folders[first](request, "/" + rest) if first in folders else Response(status_code=404)

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    is_socket, path = scope["type"] == "websocket", scope["path"]
    request = WebSocket(scope, receive, send) if is_socket else Request(scope, receive, send)
    is_known = request.cookies.get("sid") in sessions
    log.write(f"{int(is_known)} {scope.get('method', 'WEBSOCKET')} {path}\n")
    if is_socket:
        if not is_known:
            return await request.close()
        await request.accept()
        return await request.send_text("hello ann")
    if path == "/login" and await request.json() == {"name": "ann", "password": "correct horse"}:
        sessions.add(session := secrets.token_hex(20))
        response = JSONResponse({}, headers={"Set-Cookie": f"sid={session}; Path=/; Secure; HttpOnly"})
    else:
        response = await answer(request, path) if is_known else JSONResponse({"error": "no"}, 401)
    await response(scope, receive, send)

packages()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off")).run([listener])
