# Django's own login and admin pages, and with codes if a user has some: FOLDER [CERTIFICATE KEY].
import json, os, socketserver, ssl, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
folder, secure = sys.argv[1], sys.argv[2:]
sys.dont_write_bytecode = True
from django_settings import configure
users = json.load(open(folder + "/users.json"))
wants_codes = any(user["codes"] for user in users)
configure(
    folder,
    ["django_otp", "django_otp.plugins.otp_static"] if wants_codes else [],
    ["django_otp.middleware.OTPMiddleware"] if wants_codes else [],
    SESSION_COOKIE_SECURE=bool(secure), CSRF_COOKIE_SECURE=bool(secure))
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponseForbidden
from django.urls import path
from wsgiref import simple_server
site = admin.site
call_command("migrate", verbosity=0)
if wants_codes:
    from django_otp.admin import OTPAdminSite
    from django_otp.plugins.otp_static.models import StaticDevice
    site = OTPAdminSite()
class Login(LoginView):
    template_name, failures = "admin/login.html", 0
    def post(self, *arguments, **named):
        return HttpResponseForbidden("locked") if Login.failures >= 3 else super().post(*arguments, **named)
    def form_invalid(self, form):
        Login.failures += 1
        return super().form_invalid(form)
urlpatterns = [path("admin/", site.urls), path("accounts/login/", Login.as_view())]
for user in users:
    made = User.objects.create_user(
        user["name"], password=user["password"], is_staff=bool(user["staff"]), is_superuser=bool(user["staff"]))
    if user["codes"]:
        device = StaticDevice.objects.create(user=made, name="paper")
        for code in user["codes"].split():
            device.token_set.create(token=code)
django_app = get_wsgi_application()
def app(environ, start_response):
    environ["wsgi.url_scheme"] = "https" if secure else "http"
    return django_app(environ, start_response)
class Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True
    def server_bind(self):
        # Without the look-up of the host's name.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()
server = simple_server.make_server("127.0.0.1", 0, app, server_class=Server)
if secure:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*secure)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port)
server.serve_forever()
