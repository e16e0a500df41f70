import Foundation

/// A real Django with little of ours in it: its stock admin site, its stock login page, a database file, a few users, for as long as
/// this object lives. A refused login answers 200 with the form again.
package final class DjangoServer {
    package struct User: Sendable {
        package let name: String
        package let password: String
        let isStaff: Bool
        let codes: [String]

        /// - Parameters:
        ///   - isStaff: whether the admin site lets the user in.
        ///   - codes: of a second factor, each good once; a server of which any user has some asks everybody for one.
        package init(_ name: String, _ password: String, isStaff: Bool = true, codes: [String] = []) {
            (self.name, self.password, self.isStaff, self.codes) = (name, password, isStaff, codes)
        }
    }

    /// As in `https://127.0.0.1:41234`.
    package let origin: String
    /// With https, the file of its certificate, which is its own authority.
    package let certificate: String?
    private let server: ServerProcess

    /// The path of its `LoginView`, which shows its form to everybody, logged in or not, and after three wrong passwords
    /// answers 403 to every one.
    package static let loginPage = "/accounts/login/"

    /// - Parameter isSecure: whether it speaks https; Django then checks where a form came from, too.
    /// - Throws: where Django is missing or does not come up.
    package init(users: [User], isSecure: Bool) throws {
        let server = try ServerProcess()
        guard let python = RealServer.python(with: "django") else {
            throw ServerProcess.NotStarted(description: "no Python has Django")
        }
        var arguments = [server.folder.path]
        certificate = isSecure ? server.folder.path + "/own.pem" : nil
        if let certificate {
            let key = server.folder.path + "/own.key"
            let made = try Command.tool(
                "openssl",
                ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"]
                    + ["-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1"]
                    + ["-addext", "subjectAltName=IP:127.0.0.1"])
            guard made.ending == .exited(0) else { throw ServerProcess.NotStarted(description: made.error) }
            arguments += [certificate, key]
        }
        let list = users.map { user in
            [
                "name": user.name, "password": user.password, "staff": user.isStaff ? "yes" : "",
                "codes": user.codes.joined(separator: " "),
            ]
        }
        try JSONEncoder().encode(list).write(to: server.folder.appendingPathComponent("users.json"))
        try server.start(python, ["-u", "-c", Self.script] + arguments)
        let port = try server.wait(forPortOf: "Django")
        (self.server, origin) = (server, "\(isSecure ? "https" : "http")://127.0.0.1:\(port)")
    }

    /// The requests so far, each as `POST /admin/login/ 200`.
    package var requests: [String] {
        server.text("stderr").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\"")
            guard parts.count == 3 else { return nil }
            let request = parts[1].split(separator: " "), status = parts[2].split(separator: " ").first ?? ""
            return (request.dropLast() + [status]).joined(separator: " ")
        }
    }

    /// Logs everybody out, behind the back of whoever has a session.
    package func endSessions() throws {
        let script =
            "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as db: db.execute('delete from django_session')"
        let ended = try Command.tool("python3", ["-c", script, server.folder.path + "/db.sqlite3"])
        guard ended.ending == .exited(0) else { throw ServerProcess.NotStarted(description: ended.error) }
    }

    /// Everything that it printed, for a sweep.
    package var log: String { server.text("stderr") }

    /// Ends it. Happens by itself when this object goes.
    package func stop() { server.stop() }

    private static let script = """
        import json, os, socketserver, ssl, sys, threading
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        folder, secure = sys.argv[1], sys.argv[2:]
        \(DjangoSettings.script)
        users = json.load(open(folder + "/users.json"))
        wants_codes = any(user["codes"] for user in users)
        configure(
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
        urlpatterns = [path("admin/", site.urls), path("\(loginPage.dropFirst())", Login.as_view())]
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
        """
}
