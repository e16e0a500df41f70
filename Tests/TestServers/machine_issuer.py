# An authorization server for machines, by Authlib; a service that takes its tokens, on another port; and an endpoint like that of
# GitHub's Actions. The second argument is {"clients": [{"id", "secret", "method", "jwk"}], "lifetime": seconds, "tls": [certificate,
# key, authority of the clients' certificates], "port"}; without tls it speaks plain HTTP. Its folder has the port of the service, two tokens
# as Kubernetes puts them into a pod, and each form that the token and revocation endpoints were sent.
import base64, http.server, json, os, secrets, ssl, sys, threading, time, urllib.parse
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
from authlib.oauth2.rfc6749 import AuthorizationServer, BaseGrant, ClientMixin, OAuth2Request, TokenEndpointMixin, grants
from authlib.oauth2.rfc6749.errors import InvalidClientError, InvalidGrantError, InvalidRequestError, OAuth2Error
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion, JWTBearerGrant
from joserfc import jwk, jwt
from joserfc.errors import JoseError
folder, wanted = sys.argv[1], json.loads(sys.argv[2])
tokens, seen, lock = {}, set(), threading.Lock()
signer = jwk.generate_key("EC", "P-256", private=True)
algorithms = ["RS256", "ES256", "ES384", "EdDSA"]
class InvalidTarget(OAuth2Error): error = "invalid_target"
class Client(ClientMixin):
    def __init__(self, facts): self.facts = facts
    def get_client_id(self): return self.facts["id"]
    def get_allowed_scope(self, scope): return " ".join(s for s in (scope or "").split() if s in ("read", "write", "identity"))
    def check_client_secret(self, secret): return secrets.compare_digest(self.facts.get("secret") or "", secret)
    def check_endpoint_auth_method(self, method, endpoint): return method == self.facts["method"]
    def check_grant_type(self, grant): return grant in self.facts.get("grants", grant)
    def keys(self): return jwk.KeySet.import_key_set({"keys": [self.facts["jwk"]]})
clients = {facts["id"]: Client(facts) for facts in wanted["clients"]}
class Request(OAuth2Request):
    def __init__(self, handler, form):
        super().__init__("POST", handler.server.issuer + handler.path, headers=handler.headers)
        self._form, self.payload = form, BasicOAuth2Payload(form)
        # The common name of the certificate in the handshake, if there was one.
        peer = handler.connection.getpeercert() if wanted.get("tls") else None
        self.peer = dict(pair for part in (peer or {}).get("subject", ()) for pair in part).get("commonName")
    form = property(lambda self: self._form)
    args = property(lambda self: {})
class Server(AuthorizationServer):
    def query_client(self, name): return clients.get(name)
    def save_token(self, token, request):
        user = request.user or request.client.get_client_id()
        owner = request.client.get_client_id() if request.client else None
        tokens[token["access_token"]] = (user, time.time() + token["expires_in"], token.get("scope") or "", owner)
    def send_signal(self, *arguments, **more): pass
    def create_oauth2_request(self, request): return request
    def handle_response(self, status, body, headers): return status, body, headers
def generate(grant_type, client, user=None, scope=None, expires_in=None, include_refresh_token=True):
    text = identity(client.get_client_id(), "deploys") if scope == "identity" else secrets.token_urlsafe(24)
    return {"token_type": "Bearer", "access_token": text, "expires_in": wanted["lifetime"],
            **({"scope": scope} if scope else {})}
authorization = Server(scopes_supported=["read", "write", "identity"])
authorization.register_token_generator("default", generate)
def audiences(): return [issuer.issuer, issuer.issuer + "/token"]
def decoded(judge, assertion, key, error):
    # Of itself it takes RS256 and ES256 alone.
    try: claims = jwt.decode(assertion, key, algorithms=algorithms).claims
    except (JoseError, ValueError) as fault: raise error(description=str(fault))
    judge.verify_claims(claims)
    return claims
class Assertion(JWTBearerClientAssertion):
    def get_audiences(self): return audiences()
    def validate_jti(self, claims, jti):
        with lock:
            if jti in seen: return False
            seen.add(jti)
            return True
    def resolve_client_public_key(self, client): return client.keys()
    def process_assertion_claims(self, assertion, key): return decoded(self, assertion, key, InvalidClientError)
    CLIENT_AUTH_METHOD = "private_key_jwt"
authorization.register_client_auth_method("private_key_jwt", Assertion(leeway=5))
def by_certificate(query_client, request):
    client = query_client(request.form.get("client_id"))
    return client if client and request.peer == client.get_client_id() else None
authorization.register_client_auth_method("tls_client_auth", by_certificate)
methods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth"]
class ForClient(grants.ClientCredentialsGrant): TOKEN_ENDPOINT_AUTH_METHODS = methods
class ForAssertion(JWTBearerGrant):
    LEEWAY = 5
    def get_audiences(self): return audiences()
    def resolve_issuer_client(self, name): return clients.get(name)
    def resolve_client_public_key(self, client): return client.keys()
    def process_assertion_claims(self, assertion):
        client = clients.get(self.extract_assertion(assertion)[1].get("iss"))
        if not client: raise InvalidGrantError(description="nobody is known by that iss")
        return decoded(self, assertion, client.keys(), InvalidGrantError)
    def authenticate_user(self, subject): return subject
    def has_granted_permission(self, client, user): return True
class ForToken(BaseGrant, TokenEndpointMixin):
    GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange"
    TOKEN_ENDPOINT_AUTH_METHODS = methods + ["none"]
    def validate_token_request(self):
        form = self.request.form
        if form.get("client_id") or self.request.headers.get("Authorization"):
            self.request.client = self.authenticate_token_endpoint_client()
        else:
            self.request.client = Client({"id": "anybody", "method": "none"})
        if form.get("subject_token_type") != "urn:ietf:params:oauth:token-type:jwt":
            raise InvalidRequestError("another type of token is expected")
        if form.get("audience") not in (None, "deploy"): raise InvalidTarget()
        try:
            token = jwt.decode(form["subject_token"], signer)
            jwt.JWTClaimsRegistry(leeway=5, aud={"essential": True, "value": "deploys"}).validate(token.claims)
        except (JoseError, ValueError, KeyError) as error:
            raise InvalidRequestError("the subject token is not accepted: %s" % type(error).__name__)
        self.request.user = token.claims["sub"]
        self.validate_requested_scope()
    def create_token_response(self):
        token = self.generate_token(user=self.request.user, scope=self.request.payload.scope)
        token["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token"
        self.save_token(token)
        return 200, token, self.TOKEN_RESPONSE_HEADER
class Known:
    def __init__(self, text): self.text = text
    def check_client(self, client): return tokens[self.text][3] == client.get_client_id()
class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = methods
    def query_token(self, text, hint): return Known(text) if text in tokens else None
    def revoke_token(self, token, request): del tokens[token.text]
authorization.register_endpoint(Revocation(authorization))
for grant in [ForClient, ForAssertion, ForToken]: authorization.register_grant(grant)
class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, status, body, headers=()):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in [("Content-Type", "application/json"), ("Content-Length", str(len(data))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        request = Request(self, dict(urllib.parse.parse_qsl(body, keep_blank_values=True)))
        if self.server is issuer and self.path == "/token":
            status, answer, headers = authorization.create_token_response(request)
        elif self.server is issuer and self.path == "/revoke":
            status, answer, headers = authorization.create_endpoint_response("revocation", request)
        else: return self.do_GET()
        with lock: open(folder + "/requests", "a").write(body + "\n")
        self.answer(status, answer, [pair for pair in headers if pair[0] not in ("Content-Type",)])
    def do_GET(self):
        path, _, query = self.path.partition("?")
        scheme, _, bearer = (self.headers.get("Authorization") or " ").partition(" ")
        # As registries take it.
        if scheme == "Basic": bearer = base64.b64decode(bearer).decode().partition(":")[2]
        if self.server is issuer and path == "/.well-known/openid-configuration":
            return self.answer(200, {"issuer": issuer.issuer, "token_endpoint": issuer.issuer + "/token",
                "revocation_endpoint": issuer.issuer + "/revoke", "revocation_endpoint_auth_methods_supported": methods,
                "token_endpoint_auth_methods_supported": methods, "scopes_supported": ["read", "write"]})
        if self.server is issuer and path == "/actions/token":
            if bearer != "of-the-job": return self.answer(401, {})
            audience = urllib.parse.parse_qs(query).get("audience", ["?"])[0]
            return self.answer(200, {"count": 1, "value": identity("repo:corp/app:ref:refs/heads/main", audience)})
        if self.server is service and bearer in tokens and tokens[bearer][1] > time.time():
            return self.answer(200, {"name": tokens[bearer][0], "scope": tokens[bearer][2], "query": query})
        self.answer(401 if self.server is service else 404, {}, [("WWW-Authenticate", "Bearer")])
    def log_message(self, form, *arguments): sys.stderr.write(form % arguments + "\n")
def identity(subject, audience, lifetime=300):
    claims = {"iss": issuer.issuer + "/actions", "sub": subject, "aud": audience, "exp": int(time.time()) + lifetime}
    return jwt.encode({"alg": "ES256", "kid": "1"}, claims, signer)
def serve(port, tls=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Page)
    server.issuer = "%s://127.0.0.1:%d" % ("https" if tls else "http", server.server_port)
    if tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=tls[2])
        context.load_cert_chain(*tls[:2])
        context.verify_mode = ssl.CERT_OPTIONAL
        # From Python 3.13 on it would want more of a certificate than OpenSSL does.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        server.socket = context.wrap_socket(server.socket, server_side=True)
    return server
issuer, service = serve(wanted["port"], wanted.get("tls")), serve(0)
service.issuer = issuer.issuer
open(folder + "/identity", "w").write(identity("system:serviceaccount:default:deploy", "deploys"))
open(folder + "/rotated", "w").write(identity("system:serviceaccount:default:rotated", "deploys"))
open(folder + "/service", "w").write(str(service.server_port))
threading.Thread(target=service.serve_forever, daemon=True).start()
print(issuer.server_port, flush=True)
issuer.serve_forever()
