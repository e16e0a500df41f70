/// The variables by which `exec --unchanged` leads programs to its proxy, and has them take the authority of the run.
package enum UnchangedVariables {
    /// The value of a variable.
    enum Meaning: Equatable, Sendable {
        /// The URL of the proxy.
        case proxy
        /// The hosts that go past it: this machine, and what it named before, without the service's own.
        case exceptions
        case word(String)
        /// A file with the authorities of the file that it named before, else the system's, and the run's.
        case authorities
        /// The same without the system's: the program has them.
        case addedAuthority
        /// A folder with the run's authority, before those that it named.
        case authorityFolder
        /// A file of settings that names the authorities: what it named before, else this one, and a line.
        case settings(file: String, before: String, line: String)
        /// The same in a folder that is searched beside those that it named.
        case settingsFolder(file: String, text: String)
        /// Options of the Java machine: its store of authorities, which is another kind of file, and the proxy.
        case java
    }

    /// `%` in a text is the file with the authorities.
    static let table: [(names: [String], meaning: Meaning)] = [
        (["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"], .proxy),
        (["NO_PROXY", "no_proxy"], .exceptions),
        (["NODE_USE_ENV_PROXY", "MOJO_PROXY"], .word("1")),
        (["UV_NATIVE_TLS"], .word("true")),
        (
            [
                "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT",
                "CARGO_HTTP_CAINFO", "npm_config_cafile", "NPM_CONFIG_CAFILE", "BUNDLE_SSL_CA_CERT",
                "NIX_SSL_CERT_FILE",
                "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "COMPOSER_CAFILE",
                "MOJO_CA_FILE", "PERL_LWP_SSL_CA_FILE", "RESTIC_CACERT",
            ], .authorities
        ),
        (["NODE_EXTRA_CA_CERTS", "DENO_CERT"], .addedAuthority),
        (["SSL_CERT_DIR"], .authorityFolder),
        (["SYSTEM_WGETRC"], .settings(file: "wgetrc", before: "/etc/wgetrc", line: "ca_certificate=%")),
        (["SYSTEM_WGET2RC"], .settings(file: "wget2rc", before: "/etc/wget2rc", line: "ca-certificate=%")),
        (["APT_CONFIG"], .settings(file: "apt.conf", before: "", line: "Acquire::https::CAInfo \"%\";")),
        (["PHP_INI_SCAN_DIR"], .settingsFolder(file: "authctl.ini", text: "curl.cainfo=%\nopenssl.cafile=%\n")),
        (["JAVA_TOOL_OPTIONS"], .java),
    ]

    /// Those of all variables that a run sets.
    package static var names: [String] { table.flatMap(\.names) }

    /// All of them, in lines of 80 columns at most, for a page of the help.
    package static var help: String {
        var lines = [""]
        for name in names {
            if lines[lines.count - 1].count + name.count > 72 { lines.append("") }
            lines[lines.count - 1] += lines[lines.count - 1].isEmpty ? name : " \(name)"
        }
        return lines.map { "      \($0)\n" }.joined()
    }

    /// A list as of `no_proxy` for programs that are to go to the proxy for this host.
    /// - Parameter list: as it was.
    static func exceptions(from list: String, without host: String) -> String {
        let kept = list.split { $0 == "," || $0.isWhitespace }.filter { entry in
            var domain = entry.lowercased()
            if let colon = domain.firstIndex(of: ":"), domain.count(where: { $0 == ":" }) == 1 {
                domain = String(domain[..<colon])
            }
            while let first = domain.first, first == "." || first == "*" { domain.removeFirst() }
            if domain.hasSuffix(".") { domain.removeLast() }
            return !domain.isEmpty && host != domain && !host.hasSuffix(".\(domain)")
        }.map(String.init)
        let own = ["127.0.0.1", "localhost", "::1"].filter { !kept.contains($0) }
        return (own + kept).joined(separator: ",")
    }
}
