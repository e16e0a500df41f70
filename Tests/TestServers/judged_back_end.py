# A real back end that says which handler has run: KIND PORT FOLDER [UPSTREAM].
#
# GET /me is 200 with any Authorization, and else 401. Every handler names itself and the method by which it runs in X-Handler:
# "open" is /open/ and what is below it, "form" is /open/form, "secret" is /secret and what is below it. Those that are a framework
# take the method from where such frameworks do: X-HTTP-Method-Override, and _method in a form or a query.
import ctypes, os, signal, subprocess, sys, textwrap, threading

kind, port, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
# Of the Flask behind nginx-flask.
upstream = int(sys.argv[4]) if len(sys.argv) > 4 else port + 1
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
os.makedirs(folder, exist_ok=True)


def write(name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(textwrap.dedent(text))
    return path


def nginx(behind=None):
    handler = 'add_header X-Handler "$request_method {0}" always; return 200 ok;'
    proxied = f"proxy_pass http://127.0.0.1:{behind}/;" if behind else None
    if behind:
        places = f"location / {{ {proxied} }}"
    else:
        places = f"""
            location = /me {{ if ($http_authorization = "") {{ return 401; }} return 200 ok; }}
            location /open/ {{ {handler.format("open")} }}
            location = /open/form {{ {handler.format("form")} }}
            location /secret {{ {handler.format("secret")} }}"""
    conf = write("nginx.conf", f"""
        daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
        events {{ }}
        http {{
            access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
            fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
            underscores_in_headers on;
            server {{ listen 127.0.0.1:{port}; {places} }}
        }}
        """)
    return ["/usr/sbin/nginx", "-c", conf, "-e", f"{folder}/early.log"]


def httpd():
    modules = "mpm_event authn_core authz_core headers rewrite alias".split()
    loading = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in modules)
    for name in ["open/form", "open/x", "secret/x", "me"]:
        write(f"pages/{name}", "ok")
    for path, names, _ in os.walk(folder):
        os.chmod(path, 0o755)
    user = "User www-data\nGroup www-data\n" if os.getuid() == 0 else ""
    conf = write("httpd.conf", loading + user + f"""
ServerName localhost
Listen 127.0.0.1:{port}
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/httpd.pid
ErrorLog {folder}/error.log
DocumentRoot {folder}/pages
AllowEncodedSlashes On
RewriteEngine On
RewriteCond %{{HTTP:Authorization}} ^$
RewriteRule ^/me$ - [R=401,L]
<Directory {folder}/pages>
    Require all granted
</Directory>
<Location /open>
    Header always set X-Handler "expr=%{{REQUEST_METHOD}} open"
</Location>
<Location /open/form>
    Header always set X-Handler "expr=%{{REQUEST_METHOD}} form"
</Location>
<Location /secret>
    Header always set X-Handler "expr=%{{REQUEST_METHOD}} secret"
</Location>
""")
    return ["/usr/sbin/apache2", "-f", conf, "-DFOREGROUND"]


def tomcat():
    base = f"{folder}/base"
    subprocess.run(["tomcat10-instance-create", "-p", str(port), "-c", str(port + 1), base], check=True,
                   stdout=subprocess.DEVNULL)
    text = open(f"{base}/conf/server.xml").read()
    text = text.replace('<Connector port="%d"' % port,
                        '<Connector address="127.0.0.1" encodedSolidusHandling="decode" allowBackslash="true" '
                        'rejectIllegalHeader="false" port="%d"' % port)
    text = text.replace('<Server port="%d"' % (port + 1), '<Server port="-1"')
    open(f"{base}/conf/server.xml", "w").write(text)
    source = write("src/Judged.java", """
        import jakarta.servlet.http.*;
        public class Judged extends HttpServlet {
            protected void service(HttpServletRequest request, HttpServletResponse response) throws java.io.IOException {
                String path = request.getServletPath();
                if (path.equals("/me")) {
                    response.setStatus(request.getHeader("Authorization") == null ? 401 : 200);
                    return;
                }
                String name = path.equals("/open/form") ? "form" : path.substring(1);
                response.setHeader("X-Handler", request.getMethod() + " " + name);
                response.getWriter().print("ok");
            }
        }
        """)
    classes = f"{base}/webapps/ROOT/WEB-INF/classes"
    os.makedirs(classes)
    subprocess.run(["javac", "-cp", "/usr/share/tomcat10/lib/servlet-api.jar", "-d", classes, source], check=True)
    mappings = "".join(f"<servlet-mapping><servlet-name>judged</servlet-name><url-pattern>{p}</url-pattern></servlet-mapping>"
                       for p in ["/me", "/open/form", "/open/*", "/secret/*"])
    write("base/webapps/ROOT/WEB-INF/web.xml", f"""\
        <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="5.0"><servlet><servlet-name>judged</servlet-name>
        <servlet-class>Judged</servlet-class></servlet>{mappings}</web-app>""")
    os.environ.update(CATALINA_BASE=base, CATALINA_HOME="/usr/share/tomcat10")
    return ["/usr/share/tomcat10/bin/catalina.sh", "run"]


def flask(at):
    from flask import Flask, Response, request
    from werkzeug.serving import make_server
    app = Flask(__name__)
    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "MOVE", "COPY"]

    def said(name):
        def answer(**_):
            method = request.method
            if method == "POST":
                method = (request.form.get("_method") or request.args.get("_method") or method).upper()
                if request.is_json:
                    method = str((request.get_json(silent=True) or {}).get("_method", method)).upper()
            return Response("ok", headers={"X-Handler": f"{method} {name}"})
        answer.__name__ = name
        return answer

    for name, path in [("open", "/open/"), ("open", "/open/<path:rest>"), ("form", "/open/form"), ("secret", "/secret"),
                       ("secret", "/secret/<path:rest>")]:
        app.add_url_rule(path, path, said(name), methods=methods)
    app.add_url_rule("/me", "me", lambda: ("ok", 200 if request.headers.get("Authorization") else 401))

    def overriding(environ, start):
        # Flask's own recipe.
        method = environ.get("HTTP_X_HTTP_METHOD_OVERRIDE", "").upper()
        if method in methods:
            environ["REQUEST_METHOD"] = method
        if "HTTP_X_ORIGINAL_URL" in environ:
            environ["PATH_INFO"] = environ["HTTP_X_ORIGINAL_URL"]
        return app(environ, start)

    make_server("127.0.0.1", at, overriding, threaded=True).serve_forever()


def django():
    import django
    from django.conf import settings
    from django.http import HttpResponse
    from django.urls import re_path
    import types
    settings.configure(DEBUG=False, SECRET_KEY="x", ALLOWED_HOSTS=["*"], ROOT_URLCONF="judged_urls", APPEND_SLASH=True,
                       MIDDLEWARE=["django.middleware.common.CommonMiddleware", "judged_urls.overriding"])

    def said(name):
        def answer(request, *_):
            return HttpResponse("ok", headers={"X-Handler": f"{request.method} {name}"})
        return answer

    def overriding(get):
        def answer(request):
            if request.method == "POST":
                method = request.META.get("HTTP_X_HTTP_METHOD_OVERRIDE") or request.POST.get("_method") \
                    or request.GET.get("_method") or "POST"
                request.method = method.upper()
            return get(request)
        return answer

    urls = types.ModuleType("judged_urls")
    urls.overriding = overriding
    urls.urlpatterns = [
        re_path(r"^me$", lambda r: HttpResponse("ok", status=200 if r.headers.get("Authorization") else 401)),
        re_path(r"^open/form$", said("form")), re_path(r"^open/(.*)$", said("open")),
        re_path(r"^secret(/.*)?$", said("secret"))]
    sys.modules["judged_urls"] = urls
    django.setup()
    from django.core.wsgi import get_wsgi_application
    from wsgiref.simple_server import make_server, WSGIRequestHandler
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIServer
    Server = type("Server", (ThreadingMixIn, WSGIServer), {"daemon_threads": True})
    make_server("127.0.0.1", port, get_wsgi_application(), Server).serve_forever()


def php():
    router = write("router.php", """\
        <?php
        $path = rawurldecode(explode('?', $_SERVER['REQUEST_URI'])[0]);
        $method = $_SERVER['REQUEST_METHOD'];
        if ($method == 'POST')  // As Symfony and Laravel have it.
            $method = strtoupper($_SERVER['HTTP_X_HTTP_METHOD_OVERRIDE'] ?? $_POST['_method'] ?? $_GET['_method']
                ?? json_decode(file_get_contents('php://input'), true)['_method'] ?? $method);
        $parts = [];  // As a file system has it.
        foreach (explode('/', str_replace('\\\\', '/', $path)) as $part)
            if ($part == '..') array_pop($parts); elseif ($part != '.' && $part != '') $parts[] = $part;
        $path = '/' . implode('/', $parts);
        if ($path == '/me') { http_response_code(isset($_SERVER['HTTP_AUTHORIZATION']) ? 200 : 401); exit; }
        $name = $path == '/open/form' ? 'form' : ($parts[0] ?? '');
        if (in_array($name, ['form', 'open', 'secret'])) header("X-Handler: $method $name"); else http_response_code(404);
        echo 'ok';
        """)
    return ["/usr/bin/php", "-S", f"127.0.0.1:{port}", router]


def rack():
    file = write("config.ru", """\
        require 'rack/method_override'
        use Rack::MethodOverride
        said = lambda do |name|
          lambda do |env|
            handler = env['SCRIPT_NAME'] == '/open' && env['PATH_INFO'] == '/form' ? 'form' : name
            [200, {'content-type' => 'text/plain', 'x-handler' => "#{env['REQUEST_METHOD']} #{handler}"}, ['ok']]
          end
        end
        map('/me') { run lambda { |env| [env['HTTP_AUTHORIZATION'] ? 200 : 401, {'content-type' => 'text/plain'}, ['ok']] } }
        map('/open') { run said['open'] }
        map('/secret') { run said['secret'] }
        """)
    return ["/usr/bin/rackup", "-s", "webrick", "-q", "-o", "127.0.0.1", "-p", str(port), file]


if kind == "flask":
    flask(port)
elif kind == "django":
    django()
elif kind == "nginx-flask":
    threading.Thread(target=flask, args=(upstream,), daemon=True).start()
    command = nginx(upstream)
else:
    command = {"nginx": nginx, "httpd": httpd, "tomcat": tomcat, "php": php, "rack": rack}[kind]()
# PDEATHSIG of prctl(2): the server ends with this process.
subprocess.Popen(command, stdin=subprocess.DEVNULL,
                 preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM)).wait()
