# Debian's Django REST framework, which answers 403 to whoever has no login: its first way to log in is the session. FOLDER PASSWORD
import os, socketserver, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
sys.dont_write_bytecode = True
from django_settings import configure
authentication = ["rest_framework.authentication." + name for name in ["SessionAuthentication", "BasicAuthentication"]]
configure(
    sys.argv[1], ["rest_framework"], LOGIN_REDIRECT_URL="/api/me/", REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": authentication,
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]})
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import include, path
from rest_framework.decorators import api_view
from rest_framework.response import Response
from wsgiref import simple_server
@api_view()
def me(request):
    return Response({"username": request.user.username})
urlpatterns = [path("api-auth/", include("rest_framework.urls")), path("api/me/", me)]
call_command("migrate", verbosity=0)
User.objects.create_user("ann", password=sys.argv[2])
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
