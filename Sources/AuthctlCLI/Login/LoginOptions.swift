import ArgumentParser
import LoginKit
import Secrets

/// The options of a login that may be stored.
struct LoginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Store for the login (see: authctl store list).", valueName: "store"))
    var store: String?

    @Option(
        help: ArgumentHelp("How long to keep the login: none, session or permanent.", valueName: "how-long"),
        completion: .list(Persistence.allCases.map(\.rawValue)))
    var persist: String?

    @OptionGroup var attempt: AttemptOptions

    private static let stores = ["auto"] + StoreName.builtIn.map(\.description) + ["helper:NAME"]

    func validate() throws {
        if let store, store != "auto", StoreName(store) == nil {
            throw ValidationError(
                "--store: unknown store '\(store)'; the stores are \(Self.stores.joined(separator: ", ")).")
        }
        if let persist, Persistence(rawValue: persist) == nil {
            throw ValidationError("--persist must be none, session or permanent.")
        }
    }

    /// Those that a next try at a terminal needs as well, as they are typed.
    var words: [String] {
        optionWords([("--store", store), ("--persist", persist)]) + attempt.words
    }

    /// Without what keeps nothing: a command that is to be used again needs a login that stays.
    var keeping: LoginOptions {
        var options = self
        if options.store == StoreName.none.description { options.store = nil }
        if options.persist == Persistence.none.rawValue { options.persist = nil }
        return options
    }

    /// The options of commands that log in.
    var request: LoginRequest {
        var request = attempt.request
        request.store = store
        request.persist = persist.flatMap { Persistence(rawValue: $0) }
        return request
    }
}

/// The options of a login, whatever becomes of it.
struct AttemptOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Authentication method, one that the profile accepts.", valueName: "method"),
        completion: .list(AuthenticationMethod.allCases.map(\.rawValue)))
    var method: String?

    @Option(help: ArgumentHelp("Maximum number of attempts.", valueName: "number"))
    var maxAttempts = 3

    @Option(help: ArgumentHelp("Time limit for each answer. (default: 300)", valueName: "seconds"))
    var promptTimeout: Int?

    @Flag(help: "Read the password from standard input.")
    var passwordStdin = false

    @Option(help: ArgumentHelp("Read the password from this file.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("Read the password from this command (no shell).", valueName: "command"))
    var passwordCommand: String?

    @Option(help: ArgumentHelp("Read a secret that the profile names from this file.", valueName: "label=file"))
    var secretFile: [String] = []

    @Option(help: ArgumentHelp("Read such a secret from this command (no shell).", valueName: "label=command"))
    var secretCommand: [String] = []

    @Flag(help: "Read the code of a second factor from standard input.")
    var otpStdin = false

    @Option(help: ArgumentHelp("Read the code from this command (no shell).", valueName: "command"))
    var otpCommand: String?

    @Flag(help: "Log in with a code that is typed in a browser on any device.")
    var device = false

    @Flag(help: "Show the URL of a browser login, and start no browser.")
    var noBrowser = false

    @Option(help: ArgumentHelp("Open the URL of a browser login with this command (no shell).", valueName: "command"))
    var browser: String?

    @Flag(help: "Show the URL of a browser login as a QR code, too.")
    var qr = false

    @Option(help: ArgumentHelp("Ask the authorization server for this scope.", valueName: "text"))
    var scope: String?

    @Flag(help: "Allow an empty password.")
    var blankPassword = false

    @Option(help: ArgumentHelp("Requested token lifetime.", valueName: "seconds"))
    var ttl: Int?

    @OptionGroup var connection: ConnectionOptions

    private var passwordWays: Int {
        [passwordStdin, passwordFile != nil, passwordCommand != nil].count { $0 }
    }

    /// Seconds for each answer of a login.
    var patience: Int { promptTimeout ?? 300 }

    /// Whether an option says where the password is.
    var namesPassword: Bool { passwordWays > 0 }

    func validate() throws {
        if passwordWays > 1 {
            throw ValidationError("--password-stdin, --password-file and --password-command exclude each other.")
        }
        if otpStdin, passwordStdin || otpCommand != nil {
            throw ValidationError("--otp-stdin excludes --password-stdin and --otp-command.")
        }
        let secrets = (secretFile + secretCommand).map(Self.label)
        if secrets.contains(nil) || Set(secrets).count < secrets.count {
            throw ValidationError("--secret-file and --secret-command take LABEL=…, each label once.")
        }
        if device, noBrowser || browser != nil {
            throw ValidationError("--device excludes --browser and --no-browser.")
        }
        if noBrowser, browser != nil { throw ValidationError("--no-browser excludes --browser.") }
        if let scope, scope.isEmpty || !scope.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) {
            throw ValidationError("--scope must be printable ASCII characters.")
        }
        guard (1...100).contains(maxAttempts) else { throw ValidationError("--max-attempts must be from 1 to 100.") }
        guard (1...86_400).contains(patience) else {
            throw ValidationError("--prompt-timeout must be from 1 to 86400 seconds.")
        }
        if let ttl, !(1...31_536_000).contains(ttl) {
            throw ValidationError("--ttl must be from 1 to 31536000 seconds.")
        }
        if let method, AuthenticationMethod(rawValue: method) == nil {
            let known = AuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--method: unknown method '\(method)'; the methods are \(known).")
        }
    }
}

extension AttemptOptions {
    /// Those that a next try at a terminal needs as well, as they are typed: not how the password was given.
    var words: [String] {
        let texts = optionWords([
            ("--method", method), ("--max-attempts", maxAttempts == 3 ? nil : "\(maxAttempts)"),
            ("--prompt-timeout", patience == 300 ? nil : "\(patience)"), ("--ttl", ttl.map { "\($0)" }),
            ("--browser", browser), ("--scope", scope),
        ])
        let flags = [
            ("--blank-password", blankPassword), ("--device", device), ("--no-browser", noBrowser), ("--qr", qr),
        ].compactMap { $0.1 ? $0.0 : nil }
        return texts + flags + connection.words
    }

    /// The options of commands that log in.
    var request: LoginRequest {
        var request = LoginRequest()
        request.method = method.flatMap { AuthenticationMethod(rawValue: $0) }
        (request.policy.maxAttempts, request.policy.patience) = (maxAttempts, patience)
        (request.passwordSource, request.allowsBlankPassword) = (passwordSource, blankPassword)
        for text in secretFile + secretCommand {
            guard let label = Self.label(text) else { continue }
            let place = String(text.dropFirst(label.count + 1))
            request.secretSources[label] =
                secretFile.contains(text) ? .file(place, option: "--secret-file") : .command(place)
        }
        request.codeSource = otpStdin ? .standardInput : otpCommand.map { .command($0) }
        request.way = device ? .device : noBrowser || browser != nil ? .browser(starts: !noBrowser) : nil
        (request.browser, request.scope, request.showsQR) = (browser, scope, qr)
        request.ttl = ttl
        connection.apply(to: &request)
        return request
    }

    /// The label before the equals sign; `nil` without one.
    private static func label(_ text: String) -> String? {
        text.firstIndex(of: "=").flatMap { $0 == text.startIndex ? nil : String(text[..<$0]) }
    }

    private var passwordSource: SuppliedCredential.Source? {
        if passwordStdin { return .standardInput }
        return passwordFile.map { .file($0) } ?? passwordCommand.map { .command($0) }
    }
}

/// The options for reaching a server that has no profile yet.
struct ConnectionOptions: ParsableArguments {
    @Flag(help: "Allow plain http to this origin.")
    var allowHttp = false

    @Option(
        help: ArgumentHelp(
            "Use this proxy, or 'none'. By default https goes through that of https_proxy or all_proxy.",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp("Trust these authorities (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(help: ArgumentHelp("Trust the certificate with this SHA-256 fingerprint.", valueName: "sha256:hex"))
    var trustFingerprint: String?

    func validate() throws {
        if let trustFingerprint, Fingerprint(trustFingerprint) == nil {
            throw ValidationError("--trust-fingerprint must be 'sha256:' and 64 hexadecimal digits.")
        }
    }
}

extension ConnectionOptions {
    /// As they are typed.
    var words: [String] {
        // A proxy's URL may hold a password.
        let shownProxy = proxy.flatMap { $0.contains("@") ? nil : $0 }
        return optionWords([
            ("--proxy", shownProxy), ("--ca-file", caFile), ("--trust-fingerprint", trustFingerprint),
        ])
            + (allowHttp ? ["--allow-http"] : [])
    }

    func apply(to request: inout LoginRequest) {
        request.allowHTTP = allowHttp
        (request.proxy, request.caFile) = (proxy, caFile)
        request.policy.trust.fingerprint = trustFingerprint.flatMap { Fingerprint($0) }
    }
}
