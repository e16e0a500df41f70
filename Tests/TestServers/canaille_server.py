# Canaille in memory, with a registration that is open to anybody, and one page of our own that takes its tokens: /me says whose came.
import os, sys
from authlib.integrations.flask_oauth2 import current_token
from canaille import create_app
from canaille.oidc.provider import require_oauth
from joserfc import jwk
from werkzeug.serving import make_server
port = int(sys.argv[1])
app = create_app({
    "SECRET_KEY": os.urandom(16).hex(), "SERVER_NAME": "127.0.0.1:%d" % port, "PREFERRED_URL_SCHEME": "http",
    "CANAILLE": {"DATABASE": "memory"},
    "CANAILLE_OIDC": {
        "DYNAMIC_CLIENT_REGISTRATION_OPEN": True,
        "ACTIVE_JWKS": [jwk.generate_key("RSA", 2048, private=True).as_dict(private=True)]}})
@app.get("/me")
@require_oauth()
def me(): return {"name": current_token.client.client_name, "scope": current_token.scope}
make_server("127.0.0.1", port, app, threaded=True).serve_forever()
