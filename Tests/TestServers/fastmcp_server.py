# The server that its documentation shows first, with the in-memory authorization server for tests. With "documents" it knows clients
# by the documents at their URLs, too; what FastMCP itself fetches them with takes none from this machine.
import json, os, sys, threading, urllib.request
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
folder, port, wanted = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
# Nothing of this machine's settings, and no greeting.
os.environ.update({"HOME": folder, "FASTMCP_SHOW_SERVER_BANNER": "false", "FASTMCP_CHECK_FOR_UPDATES": "off"})
os.chdir(folder)
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers import in_memory
in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = wanted["lifetime"]
from fastmcp.server.auth.cimd import CIMDDocument
from fastmcp.server.auth import auth as endpoints
from mcp.shared.auth import OAuthClientInformationFull
from starlette.middleware import Middleware
class Provider(in_memory.InMemoryOAuthProvider):
    async def get_client(self, client_id):
        if not (wanted["more"].get("documents") and client_id.startswith("http")): return await super().get_client(client_id)
        with urllib.request.urlopen(client_id, timeout=20) as response:
            document = CIMDDocument.model_validate(json.load(response))
        if str(document.client_id) != client_id: return None
        self.clients[client_id] = OAuthClientInformationFull(
            client_id=client_id, redirect_uris=document.redirect_uris, grant_types=document.grant_types,
            token_endpoint_auth_method=document.token_endpoint_auth_method, scope=" ".join(wanted["scopes"]))
        return self.clients[client_id]
build_metadata = endpoints.build_metadata
def with_documents(*arguments, **more):
    metadata = build_metadata(*arguments, **more)
    if wanted["more"].get("documents"): metadata.client_id_metadata_document_supported = True
    return metadata
endpoints.build_metadata = with_documents
auth = Provider(
    base_url="http://127.0.0.1:%d" % port, required_scopes=wanted["scopes"],
    client_registration_options=ClientRegistrationOptions(
        enabled=wanted["registers"], valid_scopes=wanted["scopes"], default_scopes=wanted["scopes"]),
    revocation_options=RevocationOptions(enabled=True))
server = FastMCP("notes", auth=auth)
@server.tool
def note() -> str:
    "The note."
    return "a note"
@server.tool(annotations={"readOnlyHint": True})
def read_note() -> str:
    "Reads the note."
    return "read"
@server.prompt
def greet() -> str:
    return "hello"
@server.resource("data://notes/{name}")
def named(name: str) -> str:
    return "note " + name
class OtherScope:
    "Wants another scope for a tool that is named in the header."
    def __init__(self, app): self.app = app
    async def __call__(self, scope, receive, send):
        if dict(scope.get("headers") or []).get(b"mcp-name") != b"write_note": return await self.app(scope, receive, send)
        wanted = b'Bearer error="insufficient_scope", scope="notes write"'
        await send({"type": "http.response.start", "status": 403, "headers": [(b"www-authenticate", wanted), (b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
server.run(
    transport="http", host="127.0.0.1", port=port, show_banner=False, log_level="info", middleware=[Middleware(OtherScope)])
