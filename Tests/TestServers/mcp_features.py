# What a client of one of the libraries sees of mcp_server.py through authctl: mcp_features.py KIND MODE PORT AUTHCTL ARGUMENTS... with the same
# kinds; MODE is legacy, auto or a revision. Prints the names of what works in one line, then a line for each thing that does not. What a
# revision has not got is not tried.
import asyncio, json, os, sys, urllib.request, warnings
warnings.simplefilter("ignore")
kind, mode, port, command, arguments = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]
isFast, isNew, environment, events = kind.startswith("fastmcp"), kind in ("sdk-2", "fastmcp-4"), dict(os.environ), []
from mcp import types
from pydantic import AnyUrl
def seen(): return json.loads(urllib.request.urlopen(f"http://127.0.0.1:{port}/seen").read())
def uri(text): return text if isNew else AnyUrl(text)
def field(thing, name): return getattr(thing, name) if hasattr(thing, name) else getattr(thing, name.split("_")[0] + "".join(part.title() for part in name.split("_")[1:]))
async def eventually(holds):
    for _ in range(600):
        if holds(): return True
        await asyncio.sleep(0.1)
async def sampling(*_):
    return "sampled" if isFast else types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text="sampled"), model="m")
async def roots(*_): return types.ListRootsResult(roots=[types.Root(uri=uri("file:///r"))])
async def elicit(*_): return {"value": "bob"} if isFast else types.ElicitResult(action="accept", content={"value": "bob"})
async def logged(message): events.append(f"log {message.data}")
async def heard(message):
    root = getattr(message, "root", message)
    if not isinstance(message, Exception): events.append(type(root).__name__)
callbacks = {"sampling_callback": sampling, "list_roots_callback": roots, "elicitation_callback": elicit, "logging_callback": logged, "message_handler": heard}
class Old:
    "The client of the first SDK."
    async def __aenter__(self):
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        self.pipe = stdio_client(StdioServerParameters(command=command, args=arguments, env=environment))
        self.session = await ClientSession(*await self.pipe.__aenter__(), **callbacks).__aenter__()
        await self.session.initialize(); return self
    async def __aexit__(self, *rest): await self.session.__aexit__(*rest); await self.pipe.__aexit__(*rest)
    async def call_tool(self, name, given, progress_callback=None): return await self.session.call_tool(name, given, progress_callback=progress_callback)
    def __getattr__(self, name): return getattr(self.session, name)
def client():
    if kind == "sdk-1": return Old()
    if kind == "sdk-2":
        from mcp import Client, StdioServerParameters
        return Client(StdioServerParameters(command=command, args=arguments, env=environment), mode=mode, log_level="info", **callbacks)
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    more = {"mode": mode} if isNew else {}
    return Client(StdioTransport(command, arguments, env=environment, keep_alive=False), sampling_handler=sampling, elicitation_handler=elicit,
                  roots=["file:///r"], log_handler=logged, message_handler=heard, **more)
async def main(c):
    works, faults = [], []
    async def call(tool, progress=None, **given):
        result = await c.call_tool(tool, given, **({} if progress is None else {"progress_handler" if isFast else "progress_callback": progress}))
        if not isFast and field(result, "is_error"): raise Exception(result.content[0].text)
        return result.content[0].text
    async def text(found): return (found if isFast else found.contents)[0].text
    async def pages():
        names, cursor, count = [], None, 0
        while count == 0 or cursor:
            listed = await (c.list_tools_mcp(cursor=cursor) if isFast else c.list_tools(cursor=cursor) if isNew else c.list_tools(cursor))
            names, cursor, count = names + [tool.name for tool in listed.tools], field(listed, "next_cursor"), count + 1
        assert count > 2 and len(set(names)) == len(names) >= 10, names
    async def calls():
        assert await asyncio.gather(*[call("add", a=number, b=1) for number in range(200)]) == [str(number + 1) for number in range(200)]
    async def progress():
        steps = []
        async def step(done, total, message=None): steps.append(done)
        await call("steps", step, count=4); await eventually(lambda: len(steps) >= 4); await asyncio.sleep(0.05); assert steps == [0, 1, 2, 3], steps
    async def cancel():
        before = seen()
        if isNew:
            try: await asyncio.wait_for(call("sleep"), 0.5)
            except asyncio.TimeoutError: pass
        else:
            # Cancelling a call tells this client's server nothing.
            session = c.session; number = session._request_id; calling = asyncio.create_task(call("sleep")); await asyncio.sleep(0.5)
            await session.send_notification(types.ClientNotification(types.CancelledNotification(params=types.CancelledNotificationParams(requestId=number))))
            calling.cancel()
        assert await eventually(lambda: seen() > before), "the server went on"
    async def sample(): assert await call("sample") == "sampled"
    async def root(): assert (await call("roots")).rstrip("/") == "file:///r"
    async def ask(): assert await call("ask") == "bob"
    async def need(): assert await call("need") == "bob s1"
    async def log():
        # Not every server has levels; those that have none say everything.
        if "2026" > getattr(c, "protocol_version", "2025"):
            try: await c.set_logging_level("info")
            except Exception as error: assert "Method not found" in str(error), error
        await call("word"); assert await eventually(lambda: any(event.startswith("log ") and "a word" in event for event in events)), events
    async def resources():
        assert await text(await c.read_resource(uri("data://plain"))) == "plain é"
        assert await text(await c.read_resource(uri("data://of/x"))) == "of x"
        assert (await c.get_prompt("greet", {"name": "é"})).messages[0].content.text == "greet é"
    async def changes():
        events.clear(); await asyncio.sleep(0.2); await call("touch")
        for word in ("Updated", "ToolListChanged"): assert await eventually(lambda: any(word in event for event in events)), events
    async def listen():
        from mcp.client.subscriptions import listen
        async with listen(c.session, tools_list_changed=True, resource_subscriptions=["data://plain"]) as changes:
            await call("touch"); found = set()
            async for change in changes:
                found.add(type(change).__name__)
                if len(found) == 2: return
    async def big(): assert len(await call("big", mib=10)) == 10 << 20
    async def number(): assert await call("add", a=12345678901234567890, b=1) == "12345678901234567891"
    async def close(): assert await call("close") == "closed"
    version = getattr(c, "protocol_version", None) or getattr(c.session if hasattr(c, "session") else None, "protocol_version", None) or "2025"
    own = (need, listen) if version > "2026" else (sample, root, ask, changes, close)
    for feature in (pages, calls, progress, cancel, log, resources, big, number, *own):
        try: await asyncio.wait_for(feature(), 250); works.append(feature.__name__)
        except BaseException as error:
            while isinstance(error, BaseExceptionGroup): error = error.exceptions[0]
            faults.append(f"{feature.__name__}: {type(error).__name__} {error}".replace("\n", " "))
    return works, faults
async def run():
    async with client() as c: works, faults = await main(c)
    print(" ".join(works), *faults, sep="\n")
asyncio.run(asyncio.wait_for(run(), 280))
