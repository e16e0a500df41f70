import Foundation
@testable import LoginTestSupport
import Testing

/// Every preset that has a server here, on that server. The next one is a script in Tests/PresetServers and a line in `all`.
@Suite(.onOwnThreads, PresetServer.required)
struct PresetTests {
    struct Trial: CustomTestStringConvertible, Sendable {
        let preset: String
        /// The script that starts its server, unless that has the preset's name.
        var script: String?
        /// What follows the origin in the profile's URL.
        var base = ""
        /// A path that is answered once the server is there.
        var ready = "/"
        /// What `discover` is given, and how that ends; nothing where another trial does that at the same server.
        var discover: (path: String, code: Int32)?
        /// How a login ends by the profile that `discover` has saved: a page that only looks different after a login, or then leads
        /// on, is found by `login URL` alone.
        var saved: Int32 = 0
        /// What the first login with a wrong password gets: 2 where the service says only that nobody is logged in.
        var wrong: Int32 = 3
        /// A request that needs the login.
        var request: [String] = []
        /// What `login -u` gets; nothing where the service knows no names.
        var user: String? = "ada"
        /// What `whoami` prints; nothing for what the service makes up.
        var name: String? = "ada"
        /// How the logout ends: 15 where the server still takes the session, and authctl says so.
        var logout: Int32 = 0
        var scheme = "http"
        /// What the server forgets behind authctl's back, and so what `whoami` says then.
        var forgets = Forgotten.session

        var testDescription: String { preset }
    }

    /// What is gone at a server, and so what `whoami` says.
    enum Forgotten {
        /// Every cookie and token that it gave out: another login is needed.
        case session
        /// The password that every request carries, as Basic and Digest have it: it is refused.
        case password
        /// The same where authctl keeps what it sends as a session: an API key, or a password with cookies beside it.
        case key

        var code: Int32 {
            switch self {
            case .session, .key: 4
            case .password: 3
            }
        }
    }

    // The newer pages of Debian 13 have forms without a method, which their scripts send.
    static let all: [Trial] = [
        Trial(
            preset: "airflow", ready: "/api/v2/version", discover: ("/", 1),
            request: ["POST", "/api/v2/variables", "--json", #"{"key":"notes","value":"a"}"#]),
        Trial(
            preset: "cacti", base: "/cacti", ready: "/cacti/", discover: ("/cacti/", 0),
            request: ["/cacti/user_admin.php"]),
        Trial(
            preset: "calibre-web", discover: ("/", 0), request: ["POST", "/shelf/create", "-d", "title=Notes"]),
        Trial(preset: "copyparty", discover: ("/", 1), wrong: 2, request: ["/?ls"], forgets: .key),
        Trial(
            preset: "davical", discover: ("/", 0), request: ["PROPFIND", "/caldav.php/ada/"], forgets: .password),
        Trial(preset: "deluge", discover: ("/", 1), user: nil, name: ""),
        Trial(preset: "devpi", ready: "/+api", discover: ("/+api", 2), request: ["/"]),
        Trial(preset: "django-admin", ready: "/admin/login/", discover: ("/admin/", 0), request: ["/admin/auth/user/"]),
        Trial(preset: "django-rest-jwt", ready: "/api/me/", discover: ("/api/me/", 0), request: ["/api/me/"]),
        Trial(preset: "django-rest-token", ready: "/api/me/", discover: ("/api/me/", 0), request: ["/api/me/"]),
        Trial(
            preset: "docker-registry", ready: "/v2/", discover: ("/v2/", 0), request: ["/v2/_catalog"],
            forgets: .password),
        Trial(
            preset: "dokuwiki", ready: "/doku.php", discover: ("/", 0), request: ["/doku.php?do=admin"], logout: 15),
        Trial(
            preset: "etcd", ready: "/health", discover: ("/health", 2),
            request: ["POST", "/v3/kv/put", "--json", #"{"key":"bm90ZXMvYQ==","value":"bm90ZXMvYQ=="}"#]),
        Trial(preset: "flower", discover: ("/", 0), request: ["/api/workers"], forgets: .password),
        Trial(preset: "fossil", ready: "/json/version", discover: ("/", 0), request: ["/setup"]),
        Trial(preset: "glewlwyd", discover: ("/api/profile_list", 1), request: ["/api/profile_list"]),
        Trial(
            preset: "icinga2", ready: "/v1", discover: ("/v1", 0), request: ["/v1/status/ApiListener"], scheme: "https",
            forgets: .password),
        Trial(
            preset: "icingaweb2", ready: "/authentication/login", discover: ("/", 0), saved: 1,
            request: ["/config/general"]),
        Trial(
            preset: "influxdb", ready: "/ping", discover: ("/query?q=SHOW%20USERS", 0),
            request: ["/query?q=SHOW%20USERS"], forgets: .password),
        Trial(
            preset: "jupyter", ready: "/login", discover: ("/login", 0), request: ["/api/contents"], user: nil, name: ""
        ),
        Trial(
            preset: "jupyterhub", ready: "/hub/login", discover: ("/hub/home", 0), request: ["/hub/token"], logout: 15),
        Trial(
            preset: "kea", discover: ("/", 1), request: ["POST", "/", "--json", #"{"command":"list-commands"}"#],
            forgets: .password),
        Trial(preset: "lemonldap-ng", discover: ("/", 0), request: ["/myapplications"]),
        Trial(
            preset: "matrix", base: "/_matrix/client/v3", ready: "/_matrix/client/versions",
            discover: ("/_matrix/client/v3/account/whoami", 1), request: ["/_matrix/client/v3/joined_rooms"], name: nil),
        Trial(
            preset: "mediawiki", ready: "/api.php", discover: ("/", 0),
            request: [
                "POST", "/api.php", "-d", "action=edit", "-d", "title=T", "-d", "text=x", "-d", "format=json",
            ], name: "Ada"),
        Trial(preset: "monit", discover: ("/", 0), request: ["/_status?format=xml"], forgets: .password),
        Trial(
            preset: "pgadmin", ready: "/misc/ping", discover: ("/", 1),
            request: ["POST", "/browser/server_group/obj/", "--json", #"{"name":"Notes"}"#], user: "ada@example.org",
            name: "ada@example.org"),
        Trial(
            preset: "phpmyadmin", discover: ("/", 0),
            request: ["POST", "/index.php?route=/sql", "-d", "sql_query=SELECT 1", "-d", "ajax_request=true"]),
        Trial(
            preset: "postfixadmin", discover: ("/login.php", 0),
            request: [
                "--page", "/edit.php?table=domain", "POST", "/edit.php?table=domain", "-d",
                "value[domain]=notes.example",
            ], user: "ada@example.org", name: "ada@example.org"),
        Trial(
            preset: "powerdns", discover: ("/api/v1/servers", 1), request: ["/api/v1/servers/localhost/zones"],
            user: nil,
            name: "", forgets: .key),
        Trial(preset: "pypiserver", discover: ("/simple/", 0), request: ["/simple/"], forgets: .password),
        Trial(preset: "qbittorrent", discover: ("/", RealServer.isDebian13 ? 7 : 1), request: ["/api/v2/app/version"]),
        Trial(
            preset: "rabbitmq", ready: "/api/whoami", discover: ("/api/whoami", 0), request: ["/api/overview"],
            forgets: .password),
        Trial(
            preset: "radicale", ready: "/.web/", discover: ("/", 1), request: ["PROPFIND", "/ada/"], forgets: .password),
        Trial(
            preset: "roundcube", discover: ("/", 0), request: ["/?_task=settings&_action=folders"],
            name: "ada@example.org"),
        Trial(
            preset: "superset", ready: "/health", discover: ("/", 1),
            request: ["POST", "/api/v1/css_template/", "--json", #"{"template_name":"notes","css":"a"}"#], logout: 15),
        Trial(preset: "supervisor", discover: ("/", 0), request: ["/"], forgets: .password),
        Trial(
            preset: "syncthing", discover: ("/", RealServer.isDebian13 ? 7 : 0), wrong: RealServer.isDebian13 ? 2 : 3,
            request: ["/rest/system/version"], forgets: .key),
        Trial(
            preset: "syncthing-key", script: "syncthing", request: ["/rest/system/version"], user: nil,
            forgets: .key),
        Trial(
            preset: "tomcat-manager", script: "tomcat", base: "/manager", ready: "/manager/status",
            discover: ("/manager/html", 0),
            request: ["--page", "/manager/html", "POST", "/manager/html/expire?path=/manager", "-d", "idle=30"],
            forgets: .password),
        Trial(preset: "trac", discover: ("/login", 0), request: ["/prefs"]),
        Trial(
            preset: "transmission", ready: "/transmission/web/", discover: ("/transmission/web/", 0),
            request: ["POST", "/transmission/rpc", "--json", #"{"method":"session-get"}"#], forgets: .password),
        Trial(
            preset: "tt-rss", discover: ("/", 0), saved: 2,
            request: ["POST", "/backend.php", "-d", "op=pref-labels", "-d", "method=add", "-d", "caption=x"]),
        Trial(
            preset: "wordpress", ready: "/wp-login.php", discover: ("/wp-admin/", 0),
            request: ["--page", "/wp-admin/profile.php", "POST", "/wp-admin/profile.php", "-d", "nickname=countess"]),
        Trial(preset: "wsgidav", discover: ("/", 0), request: ["/"], forgets: .password),
        Trial(
            preset: "zabbix", ready: "/index.php", discover: ("/index.php", 0),
            request: [
                "POST", "/api_jsonrpc.php", "--json", #"{"jsonrpc":"2.0","method":"user.get","params":{},"id":1}"#,
            ]),
        Trial(
            preset: "znc", discover: ("/", 0), wrong: 2, request: ["/mods/global/webadmin/edituser"]),
    ]

    @Test(arguments: all.filter { RealServer.isInDebian($0.preset) })
    func `a preset works on its server, and discover is led right there or says that it is not`(
        trial: Trial
    ) throws {
        let server = try PresetServer(trial.script ?? trial.preset, scheme: trial.scheme, ready: trial.ready)
        let authctl = try tryPreset(trial, server)
        try tryDiscover(trial, server)
        try tryForgotten(trial, server, authctl)
    }

    private func origin(_ trial: Trial, _ server: PresetServer) -> String {
        "\(trial.scheme)://127.0.0.1:\(server.port)"
    }

    private func trusted(_ trial: Trial, _ server: PresetServer) -> [String: String] {
        trial.scheme == "https" ? ["AUTHCTL_CA_FILE": server.file("data/certs/localhost.crt")] : [:]
    }

    private func login(_ trial: Trial) -> [String] {
        ["login", "svc", "--password-stdin"] + (trial.user.map { ["-u", $0] } ?? [])
    }

    /// Adds it, is refused, logs in, asks who that is, sends a request and logs out.
    private func tryPreset(_ trial: Trial, _ server: PresetServer) throws -> Installation {
        let origin = origin(trial, server), trusted = trusted(trial, server), authctl = try Installation()
        func run(_ arguments: [String], input: String = "") throws -> CommandResult {
            try authctl.run(arguments, input: input, environment: trusted)
        }
        let added = try run(["profile", "add", "--preset", trial.preset, "--url", origin + trial.base, "--name", "svc"])
        try #require(added.code == 0, "\(added.error)")
        let wrong = try run(login(trial), input: "Wrong-Horse-7\n")
        #expect(wrong.code == trial.wrong, "\(wrong.error)")
        let right = try run(login(trial), input: PresetServer.password + "\n")
        try #require(right.code == 0, "\(right.error)")
        let whoami = try run(["whoami", "svc"])
        #expect(whoami.code == 0, "\(whoami.error)")
        #expect(trial.name.map { $0 + "\n" == whoami.output } ?? whoami.output.contains("ada"), "\(whoami.output)")
        if !trial.request.isEmpty {
            let request = try run(
                ["request", "-P", "svc"] + trial.request.map { $0.hasPrefix("/") ? origin + $0 : $0 })
            #expect(request.code == 0, "\(request.error)\(request.output)")
        }
        let logout = try run(["logout", "svc"])
        #expect(logout.code == trial.logout, "\(logout.error)")
        #expect(try run(["whoami", "svc"]).code == 4)
        return authctl
    }

    /// Logs in, and asks who that is after the server has lost what the login had brought.
    private func tryForgotten(_ trial: Trial, _ server: PresetServer, _ authctl: Installation) throws {
        let input = PresetServer.password + "\n"
        let login = try authctl.run(login(trial), input: input, environment: trusted(trial, server))
        try #require(login.code == 0, "\(login.error)")
        switch trial.forgets {
        case .session: try server.replace()
        case .password, .key: try server.replace(password: "Battery-Staple-9")
        }
        let whoami = try authctl.run(["whoami", "svc"], environment: trusted(trial, server))
        #expect(whoami.code == trial.forgets.code, "\(whoami.output)\(whoami.error)")
    }

    /// A profile that is proposed for a user name and a password has to work.
    private func tryDiscover(_ trial: Trial, _ server: PresetServer) throws {
        guard let discover = trial.discover else { return }
        let trusted = trusted(trial, server), authctl = try Installation()
        let url = origin(trial, server) + discover.path
        let found = try authctl.run("discover", url, "--save", "--name", "svc", environment: trusted)
        #expect(found.code == discover.code, "\(found.output)\(found.error)")
        guard found.code == 0, !found.output.contains("= \"token\"") else { return }
        let right = try authctl.run(login(trial), input: PresetServer.password + "\n", environment: trusted)
        #expect(right.code == trial.saved, "\(found.output)\(right.error)")
    }
}
