# The server that its documentation shows first, with the in-memory authorization server for tests.
import json, os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
folder, port, wanted = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
# Nothing of this machine's settings, and no greeting.
os.environ.update({"HOME": folder, "FASTMCP_SHOW_SERVER_BANNER": "false", "FASTMCP_CHECK_FOR_UPDATES": "off"})
os.chdir(folder)
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers import in_memory
in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = wanted["lifetime"]
auth = in_memory.InMemoryOAuthProvider(
    base_url="http://127.0.0.1:%d" % port, required_scopes=wanted["scopes"],
    client_registration_options=ClientRegistrationOptions(
        enabled=wanted["registers"], valid_scopes=wanted["scopes"], default_scopes=wanted["scopes"]),
    revocation_options=RevocationOptions(enabled=True))
server = FastMCP("notes", auth=auth)
@server.tool
def note() -> str:
    "The note."
    return "a note"
server.run(transport="http", host="127.0.0.1", port=port, show_banner=False, log_level="info")
