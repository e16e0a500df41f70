import ArgumentParser
import LoginKit

/// The parts of the session that an `exec` command gets; none by default.
struct ExecEnvironmentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Set this environment variable to the token.", valueName: "name"))
    var env: String?

    @Option(help: ArgumentHelp("Provide the token on this descriptor, as 'token' prints it.", valueName: "number"))
    var fd: Int32?

    @Flag(help: "Set AUTHCTL_CURL_CONFIG to a file for 'curl -K' with the session.")
    var curlConfig = false

    @Flag(help: "Set AUTHCTL_SERVE_URL to a local address that adds the session to each request.")
    var serve = false

    @Option(
        help: ArgumentHelp(
            "Serve at this Unix socket instead of a port; 'auto' makes one in $XDG_RUNTIME_DIR/authctl.",
            valueName: "path"),
        completion: .file())
    var serveSocket: String?

    @Flag(help: "Lend the session to a command that goes to the service's own URL, as it is.")
    var unchanged = false

    @Flag(help: "With --unchanged: run the command in a network of its own, where every way leads to authctl.")
    var ownNetwork = false

    @Option(
        help: ArgumentHelp(
            "With --unchanged: set this variable to a word, for a command that sends nothing without a token.",
            valueName: "name[=value]"))
    var placeholder: [String] = []

    @Option(help: ArgumentHelp("With --unchanged: whether the command reaches other hosts.", valueName: "which"))
    var others: OtherHosts?

    @Flag(help: "With --unchanged: let every program of this user use the proxy of this run.")
    var noProxyPassword = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Lend the login for this time at most, such as 30m.", valueName: "time"))
    var duration: String?

    @Option(help: ArgumentHelp("Log each request in this file.", valueName: "file"), completion: .file())
    var log: String?

    /// The variables that authctl itself sets.
    static let reserved = [
        "AUTHCTL_PROFILE", "AUTHCTL_ORIGIN", "AUTHCTL_EXEC", "AUTHCTL_EPHEMERAL", "AUTHCTL_CONFIG",
        "AUTHCTL_CURL_CONFIG", "AUTHCTL_SERVE_URL", "AUTHCTL_SERVE_SOCKET",
    ]

    /// Variables that the loader, the C library or a shell reads first.
    private static let systems = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "IFS", "ENV", "BASH_ENV", "TERM", "LANG", "TZ", "TMPDIR",
        "GLIBC_TUNABLES",
    ]
    private static let systemPrefixes = ["LD_", "LC_"]

    /// Whether the token itself is wanted, which not every session has.
    var wantsToken: Bool { env != nil || fd != nil }

    /// Whether authctl stays beside the command and serves an address.
    var serves: Bool { serve || serveSocket != nil || unchanged }

    /// What they say of a session that is lent.
    var terms: LendingTerms {
        guard unchanged else { return LendingTerms(.address(socket: serveSocket), for: duration, log: log) }
        return LendingTerms(
            .unchanged(
                ownNetwork ? .ownNetwork : .here, others: others ?? (ownNetwork ? .public : .all),
                wantsPassword: !noProxyPassword), for: duration, log: log, placeholders: placeholder)
    }

    func validate() throws {
        try validateServing()
        try validateUnchanged()
        if serves, wantsToken || curlConfig {
            throw ValidationError(
                "--serve and --unchanged keep the session from the command; the other options hand it over.")
        }
        if let env { try Self.check(env, of: "--env") }
        if let fd, !(3...255).contains(fd) {
            throw ValidationError("--fd must be from 3 to 255.")
        }
    }

    /// - Throws: `ValidationError` for a name that is no variable's, or that of one which others need.
    static func check(_ name: String, of option: String) throws {
        guard isName(name) else {
            throw ValidationError(
                "\(option): a variable name has letters, digits and '_', and does not begin with a digit.")
        }
        guard !(reserved + ProgramEnvironment.withheld).contains(name) else {
            throw ValidationError("\(option): that variable is reserved; use another, such as AUTHCTL_TOKEN.")
        }
        guard !systems.contains(name), !systemPrefixes.contains(where: { name.hasPrefix($0) }) else {
            throw ValidationError("\(option): \(name) would break the command; use another, such as AUTHCTL_TOKEN.")
        }
    }

    private func validateUnchanged() throws {
        if unchanged, serve || serveSocket != nil {
            throw ValidationError("--unchanged takes the place of --serve: choose one.")
        }
        if !unchanged, ownNetwork || noProxyPassword || others != nil || !placeholder.isEmpty {
            throw ValidationError(
                "--own-network, --placeholder, --others and --no-proxy-password go with --unchanged.")
        }
        if ownNetwork, noProxyPassword {
            throw ValidationError("--own-network has no proxy, so that --no-proxy-password does not go with it.")
        }
    }

    private func validateServing() throws {
        if !serves, duration != nil || log != nil {
            throw ValidationError("--for and --log go with --serve or --unchanged.")
        }
        if serveSocket == "" { throw ValidationError("--serve-socket must be a path or 'auto'.") }
        try terms.check(duration)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || $0.value == 0x5F || (0x30...0x39).contains($0.value))
        }
    }
}
