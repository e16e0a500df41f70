# Sets it up as an administrator does, and ends it when the test does.
import ctypes, json, os, signal, sqlite3, subprocess, sys, threading, time, urllib.error, urllib.request
folder, port, wanted = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
program, modules = sys.argv[4], "/usr/lib/glewlwyd"
schema = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
origin = "http://127.0.0.1:%d" % port
database = sqlite3.connect(folder + "/glewlwyd.db")
database.executescript("PRAGMA synchronous = OFF; BEGIN;" + open(schema).read() + "COMMIT;")
database.close()
open(folder + "/glewlwyd.conf", "w").write(f"""
port = {port}
bind_address = "127.0.0.1"
external_url = "{origin}"
login_url = "login.html"
api_prefix = "api"
log_mode = "console"
log_level = "INFO"
cookie_secure = 0
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "{modules}/user"
client_module_path = "{modules}/client"
user_auth_scheme_module_path = "{modules}/scheme"
plugin_module_path = "{modules}/plugin"
hash_algorithm = "SHA256"
database = {{ type = "sqlite3", path = "{folder}/glewlwyd.db" }}
""")
# It does not look at its stdin; this process does it in its place, and takes it along if it is killed.
die_with_parent = lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL)
server = subprocess.Popen(
    [program, "-c", folder + "/glewlwyd.conf"], stdin=subprocess.DEVNULL, stdout=sys.stderr,
    preexec_fn=die_with_parent)
def end():
    sys.stdin.read()
    server.kill()
    os._exit(0)
threading.Thread(target=end, daemon=True).start()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
def call(path, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        origin + "/api" + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        with opener.open(request, timeout=10) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        sys.exit("%s: %d %s" % (path, error.code, error.read()))
while True:
    try:
        call("/auth/", {"username": "admin", "password": "password"})
        break
    except urllib.error.URLError:
        if server.poll() is not None:
            sys.exit("glewlwyd ended with %s" % server.returncode)
        time.sleep(0.01)
for scope in wanted["scopes"]:
    call("/scope/", {"name": scope, "display_name": scope, "description": scope, "password_required": True,
                     "password_max_age": 0, "scheme": {}})
for user in wanted["users"]:
    call("/user/", {"username": user["name"], "password": user["password"], "name": user["name"],
                    "enabled": True, "scope": ["openid", "g_profile"] + wanted["scopes"]})
for client in wanted["clients"]:
    secret, key = client.get("secret"), client.get("key")
    properties = {
        "client_id": client["id"], "name": client["id"], "enabled": True, "confidential": bool(secret or key),
        "redirect_uri": client["redirects"], "scope": wanted["scopes"] if secret or key else [],
        "authorization_type": ["code", "refresh_token", "device_authorization"]
            + (["client_credentials"] if secret or key else [])}
    if key:
        properties.update({"jwks": {"keys": [json.loads(key)]}, "token_endpoint_auth_method": ["private_key_jwt"]})
    if secret:
        properties.update({"client_secret": secret, "password": secret,
            "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"]})
    call("/client/", properties)
key = subprocess.check_output(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"], text=True)
public = subprocess.check_output(["openssl", "ec", "-pubout"], input=key, text=True, stderr=subprocess.DEVNULL)
parameters = {
    "iss": origin + "/api/oidc", "jwt-type": "ecdsa", "jwt-key-size": "256", "key": key, "cert": public,
    "access-token-duration": wanted["lifetime"], "refresh-token-duration": 3600, "code-duration": 60,
    "refresh-token-rolling": True, "refresh-token-one-use": "always", "allow-non-oidc": True,
    "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True, "auth-type-token-enabled": False,
    "auth-type-id-token-enabled": True, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
    "auth-type-client-enabled": True, "request-parameter-allow": True, "client-jwks-parameter": "jwks",
    "auth-type-device-enabled": True, "auth-type-refresh-enabled": True,
    "device-authorization-expiration": 600, "device-authorization-interval": wanted["interval"],
    "allowed-scope": ["openid"] + wanted["scopes"],
    "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": True,
    "introspection-revocation-allowed": True, "introspection-revocation-auth-scope": wanted["scopes"],
    "introspection-revocation-allow-target-client": True,
    "register-client-allowed": wanted["registers"], "register-client-auth-scope": [],
    "register-client-credentials-scope": [], "register-client-management-allowed": True,
    "subject-type": "public", "name-claim": "no", "email-claim": "no", "scope-claim": "no"}
parameters.update(wanted["more"])
call("/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "oidc", "parameters": parameters,
                      "order_rank": 0, "enabled": True})
print(port)
sys.stdout.flush()
server.wait()
