# The stock pages of Django and of the toolkit, and one page behind a token.
import json, os, socketserver, subprocess, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
folder, wanted = sys.argv[1], json.loads(sys.argv[2])
sys.dont_write_bytecode = True
from django_settings import configure
key = subprocess.check_output(["openssl", "genrsa", "2048"], text=True, stderr=subprocess.DEVNULL)
scopes = {scope: "the scope " + scope for scope in ["openid"] + wanted["scopes"]}
configure(
    folder,
    ["oauth2_provider"], LOGIN_URL="/admin/login/",
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": key, "SCOPES": scopes, "DEFAULT_SCOPES": wanted["scopes"],
        "PKCE_REQUIRED": True, "ACCESS_TOKEN_EXPIRE_SECONDS": wanted["lifetime"], "ROTATE_REFRESH_TOKEN": True})
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path
from oauth2_provider.models import Application
from oauth2_provider.views.generic import ProtectedResourceView
from wsgiref import simple_server
class Me(ProtectedResourceView):
    def get(self, request):
        # A client's own token is nobody's.
        return JsonResponse({"name": request.resource_owner.username if request.resource_owner else "a machine"})
urlpatterns = [
    path("admin/", admin.site.urls), path("me", Me.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]
call_command("migrate", verbosity=0)
for user in wanted["users"]:
    User.objects.create_user(user["name"], password=user["password"], is_staff=True)
for client in wanted["clients"]:
    secret = client.get("secret")
    Application.objects.create(
        name=client["id"], client_id=client["id"], client_secret=secret or "",
        client_type=Application.CLIENT_CONFIDENTIAL if secret else Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE if client["redirects"]
            else Application.GRANT_CLIENT_CREDENTIALS, algorithm=Application.RS256_ALGORITHM,
        redirect_uris=" ".join(client["redirects"]))
class Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True
    def server_bind(self):
        # Without the look-up of the host's name.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()
server = simple_server.make_server("127.0.0.1", 0, get_wsgi_application(), server_class=Server)
print(server.server_port)
server.serve_forever()
