# A server of one of the libraries, behind a Bearer token: mcp_server.py FOLDER PORT KIND, where KIND is sdk-1, sdk-2 (the SDK's own), fastmcp-3
# or fastmcp-4. It keeps its events, so that it can close a stream on purpose. /seen tells how many calls were cancelled.
import asyncio, json, os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
folder, port, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.environ.update({"HOME": folder, "FASTMCP_SHOW_SERVER_BANNER": "false", "FASTMCP_CHECK_FOR_UPDATES": "off"})
os.chdir(folder)
from mcp.server.streamable_http import EventMessage, EventStore
from pydantic import AnyUrl, BaseModel
import uvicorn
if kind in ("sdk-1", "fastmcp-3"): from mcp import types
else: import mcp_types as types
if kind == "sdk-1": from mcp.server.fastmcp import Context, FastMCP as Server
elif kind == "sdk-2":
    from mcp.server import MCPServer as Server
    from mcp.server.mcpserver import Context
else: from fastmcp import Context, FastMCP as Server
isFast, isNew = kind.startswith("fastmcp"), kind in ("sdk-2", "fastmcp-4")
token, cancelled = "tok-" + "a" * 40, []
class Events(EventStore):
    def __init__(self): self.all = []
    async def store_event(self, stream_id, message):
        self.all.append((stream_id, message)); return str(len(self.all) - 1)
    async def replay_events_after(self, last_event_id, send_callback):
        stream = self.all[int(last_event_id)][0]
        for number, (id, message) in enumerate(self.all):
            if number > int(last_event_id) and id == stream and message is not None: await send_callback(EventMessage(message, str(number)))
        return stream
def page(tools, cursor):
    start = int(cursor or 0)
    return tools[start:start + 4], str(start + 4) if start + 4 < len(tools) else None
class Paged(Server):
    async def _handle_list_tools(self, ctx, params):
        tools, rest = page(await self.list_tools(), params and params.cursor)
        return types.ListToolsResult(tools=tools, next_cursor=rest)
events = {"event_store": Events(), "retry_interval": 100}
server = Server("all", list_page_size=4) if isFast else Paged("all") if isNew else Server("all", **events)
if kind == "sdk-1":
    @server._mcp_server.list_tools()
    async def listed(request: types.ListToolsRequest) -> types.ListToolsResult:
        tools, rest = page(await server.list_tools(), request and request.params and request.params.cursor)
        return types.ListToolsResult(tools=tools, nextCursor=rest)
class Name(BaseModel): value: str
@server.tool()
def add(a: int, b: int) -> int: return a + b
@server.tool()
def big(mib: int) -> str: return "x" * (mib << 20)
@server.tool()
async def steps(count: int, ctx: Context) -> str:
    for step in range(count):
        await ctx.report_progress(step, count); await asyncio.sleep(0.05)
    return "done"
@server.tool()
async def sleep() -> str:
    try: await asyncio.sleep(30)
    except BaseException: cancelled.append(1); raise
    return "slept"
@server.tool()
async def sample(ctx: Context) -> str:
    if kind == "fastmcp-3": return str((await ctx.sample("hello")).text)
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="hello"))
    return (await ctx.session.create_message(messages=[message], max_tokens=10)).content.text
@server.tool()
async def roots(ctx: Context) -> str:
    return str((await ctx.session.list_roots()).roots[0].uri)
@server.tool()
async def ask(ctx: Context) -> str:
    given = (await (ctx.elicit("name?", response_type=str) if isFast else ctx.elicit("name?", Name))).data
    return getattr(given, "value", given)
@server.tool()
async def word(ctx: Context) -> str:
    await ctx.info("a word"); return "said"
@server.tool()
async def touch(ctx: Context) -> str:
    if kind == "sdk-2":
        await ctx.notify_resource_updated("data://plain"); await ctx.notify_tools_changed()
    if kind != "sdk-2" or ctx.protocol_version < "2026":
        await ctx.session.send_resource_updated("data://plain" if isNew else AnyUrl("data://plain")); await ctx.session.send_tool_list_changed()
    return "touched"
@server.tool()
async def close(ctx: Context) -> str:
    await ctx.close_sse_stream(); await asyncio.sleep(0.3); return "closed"
if isNew:
    @server.tool()
    async def need(ctx: Context) -> (types.InputRequiredResult | str if isFast else types.CallToolResult | types.InputRequiredResult):
        if not ctx.input_responses:
            schema = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
            who = types.ElicitRequest(params=types.ElicitRequestFormParams(message="who?", requested_schema=schema))
            return types.InputRequiredResult(input_requests={"who": who}, request_state="s1")
        text = f"{ctx.input_responses['who'].content['value']} {ctx.request_state}"
        return text if isFast else types.CallToolResult(content=[types.TextContent(type="text", text=text)])
@server.resource("data://of/{name}")
def of(name: str) -> str: return "of " + name
@server.resource("data://plain")
def plain() -> str: return "plain é"
@server.prompt()
def greet(name: str) -> str: return "greet " + name
app = server.http_app(**events) if isFast else server.streamable_http_app(**events) if isNew else server.streamable_http_app()
class Gate:
    async def __call__(self, scope, receive, send):
        async def out(status, body, *headers):
            await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json"), *headers]})
            await send({"type": "http.response.body", "body": body})
        if scope["type"] != "http": return await app(scope, receive, send)
        if scope["path"] == "/seen": return await out(200, json.dumps(len(cancelled)).encode())
        if dict(scope["headers"]).get(b"authorization") != b"Bearer " + token.encode(): return await out(401, b"", (b"www-authenticate", b"Bearer"))
        if scope["path"] == "/me": return await out(200, b'{"name":"ann"}')
        await app(scope, receive, send)
uvicorn.run(Gate(), host="127.0.0.1", port=port, log_level="info", timeout_graceful_shutdown=1)
