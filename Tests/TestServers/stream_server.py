# Streams, refusals in the middle of them, and WebSockets: PORT.
import asyncio, json, os, secrets, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
port = int(sys.argv[1])
tokens, refreshes = set(), set()
seen = dict(logins=0, refreshes=0, verified=0, refused=0, answered=0, fields=[], open=0)

def pair():
    token, refresh = "access-" + secrets.token_hex(16), "refresh-" + secrets.token_hex(16)
    tokens.add(token); refreshes.add(refresh)
    return JSONResponse({"token": token, "refresh": refresh})

def known(request):
    return request.headers.get("authorization", "").removeprefix("Bearer ") in tokens

def guarded(answer):
    async def endpoint(request):
        seen["fields"] = sorted(request.headers.keys())
        if not known(request):
            seen["refused"] += 1
            return JSONResponse({"error": "no"}, 401, {"WWW-Authenticate": "Bearer"})
        seen["answered"] += 1
        return await answer(request)
    return endpoint

async def login(request):
    if (await request.json()).get("password") != "correct horse":
        return JSONResponse({"error": "wrong"}, 401)
    seen["logins"] += 1
    return pair()

async def refresh(request):
    old = (await request.json())["refresh"]
    if old not in refreshes:
        return JSONResponse({"error": "unknown"}, 401)
    refreshes.discard(old)
    seen["refreshes"] += 1
    await asyncio.sleep(0.2)
    return pair()

async def me(request):
    seen["verified"] += 1
    return JSONResponse({"name": "ann"})

async def end(request):
    tokens.clear()
    if request.query_params.get("all"):
        refreshes.clear()
    return PlainTextResponse("")

async def told(request):
    return JSONResponse(seen)

async def slow(request):
    await asyncio.sleep(float(request.query_params.get("seconds", "0")))
    return PlainTextResponse("slow\n")

async def echo(request):
    body = b"".join([piece async for piece in request.stream()])
    return PlainTextResponse(request.method + " " + request.url.query + " " + body.decode() + "\n")

async def count(request):
    total = 0
    async for piece in request.stream():
        total += len(piece)
    return PlainTextResponse("%d\n" % total)

async def full(request):
    if "chunked" in request.query_params:
        return StreamingResponse(iter([b"too ", b"long\n"]), 413)
    return PlainTextResponse("too long\n", 413)

async def mirror(request):
    # StreamingResponse would take pieces of the request away while it looks for its end.
    async def answer(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        async for piece in request.stream():
            await send({"type": "http.response.body", "body": piece.upper(), "more_body": True})
            if request.query_params:
                return  # An answer that breaks off: uvicorn closes the connection.
        await send({"type": "http.response.body", "body": b""})
    return answer

async def gone(request):
    async for piece in request.stream():
        for connection in server.server_state.connections:
            if connection.client == tuple(request.client):
                connection.transport.close()
        await asyncio.sleep(600)

async def data(request):
    total = int(request.query_params["bytes"])
    async def pieces():
        seen["open"] += 1
        left = total - int(request.query_params.get("without", "0"))
        try:
            while left > 0:
                yield bytes(min(left, 1 << 16))
                left -= 1 << 16
                await asyncio.sleep(0)
        finally:
            seen["open"] -= 1
    sized = {} if "chunked" in request.query_params else {"Content-Length": str(total)}
    return StreamingResponse(pieces(), headers=sized)

async def events(request):
    number = int(request.query_params.get("number", "1000000"))
    async def pieces():
        seen["open"] += 1
        try:
            await asyncio.sleep(float(request.query_params.get("after", "0")))
            for index in range(number):
                yield "data: %d\n\n" % index
                await asyncio.sleep(0.05)
        finally:
            seen["open"] -= 1
    return StreamingResponse(pieces(), media_type="text/event-stream")

async def away(request):
    return RedirectResponse(request.query_params["to"], 302)

async def setting(request):
    token = request.headers["authorization"].removeprefix("Bearer ")
    return PlainTextResponse("", headers={
        "Set-Cookie": "sid=1", "X-Token": token, "X-Other": "yes", "Access-Control-Allow-Origin": "*",
        "Link": "<http://127.0.0.1:%d/v1/next>; rel=\"next\"" % port})

async def socket(websocket):
    if not known(websocket):
        seen["refused"] += 1
        await websocket.close()
        return
    await open_socket(websocket)

async def closed(websocket):
    words = "no room " * 10000 if websocket.query_params else "no room"
    await websocket.send_denial_response(PlainTextResponse(words, 409))

async def open_socket(websocket):
    await websocket.accept()
    seen["open"] += 1
    try:
        async for message in websocket.iter_text():
            await websocket.send_text("echo " + message)
    finally:
        seen["open"] -= 1

guards = {"me": me, "slow": slow, "echo": echo, "count": count, "full": full, "mirror": mirror, "gone": gone, "data": data, "events": events, "away": away,
          "setting": setting}
methods = ["GET", "POST", "PUT", "DELETE", "PATCH"]
routes = [Route("/v1/" + name, guarded(answer), methods=methods) for name, answer in guards.items()]
routes += [Route("/v1/login", login, methods=["POST"]), Route("/v1/refresh", refresh, methods=["POST"]),
           Route("/end", end, methods=["POST"]), Route("/seen", told), Route("/root", guarded(echo)),
           WebSocketRoute("/v1/socket", socket), WebSocketRoute("/v1/closed", closed),
           WebSocketRoute("/open/socket", open_socket)]
server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="warning"))
server.run()
