import Glibc

/// Chooses a browser and starts it, without a shell and apart from the terminal.
struct BrowserStart: Sendable {
    /// The result.
    enum Outcome: Equatable, Sendable {
        case started
        /// All that were tried, in this order.
        case failed([Failure])
        /// There is none that may be started.
        case noBrowser
    }

    /// A program that did not open the URL.
    struct Failure: Equatable, Sendable {
        /// As it was named.
        let program: String
        /// The reason that it did not start, or how it ended, as part of a sentence.
        let words: String
    }

    private let configured: [String]?
    private let environment: ProgramEnvironment
    private let isForAnother: Bool
    private let patience: Duration

    /// - Parameters:
    ///   - configured: the words of `--browser`, else of the profile, else of the top of the configuration.
    ///   - environment: of this process; what it says for authctl alone is not handed on.
    ///   - isRoot: whether this process is root's. For another user it starts no browser: that would have root's rights.
    ///   - patience: how long the end of the program is waited for.
    init(
        configured: [String]?, environment: ProgramEnvironment, isRoot: Bool = geteuid() == 0,
        patience: Duration = .seconds(2)
    ) {
        self.configured = configured
        self.environment = environment
        isForAnother = isRoot && !["", "root"].contains(environment["SUDO_USER"] ?? "")
        self.patience = patience
    }

    /// Whether there is a browser here, and somebody who would see it. Who is logged in by ssh sees another screen, unless they
    /// say something else.
    var canStart: Bool {
        guard !isForAnother else { return false }
        if isNamed { return true }
        return environment.hasScreen && !environment.isRemote
    }

    private var isNamed: Bool { configured?.isEmpty == false || !(environment["BROWSER"] ?? "").isEmpty }

    /// The programs that are tried, each with its arguments.
    private var candidates: [[String]] {
        if isForAnother { return [] }
        if let configured, !configured.isEmpty { return [configured] }
        if let named = environment["BROWSER"], !named.isEmpty {
            return named.split(separator: ":").compactMap { CommandWords.split(String($0)) }.filter { !$0.isEmpty }
        }
        // Without a screen it would start a text browser, on the terminal.
        return environment.hasScreen ? [["xdg-open"]] : []
    }

    /// Starts the first that works. One that has not ended after a while, or has ended well, has opened the URL.
    /// - Parameters:
    ///   - plainOrigin: the origin to which http is allowed although it is not on this machine.
    ///   - isEnough: whether an answer is there already, so that nothing more is waited for.
    func open(_ url: String, plainOrigin: Origin? = nil, unless isEnough: () -> Bool = { false }) -> Outcome {
        guard Self.isSafe(url, plainOrigin: plainOrigin) else { return .noBrowser }
        var failures: [Failure] = []
        for candidate in candidates {
            guard let failure = start(Self.words(candidate, url), unless: isEnough) else { return .started }
            failures.append(failure)
        }
        return failures.isEmpty ? .noBrowser : .failed(failures)
    }

    private func start(_ words: [String], unless isEnough: () -> Bool) -> Failure? {
        var handed = environment
        handed.removeAll(beginningWith: "AUTHCTL_")
        do {
            let program = try ChildProgram(detached: words, environment: handed)
            let status = program.status(by: .now + patience, unless: isEnough)
            return status.flatMap { $0 == 0 ? nil : Failure(program: words[0], words: "status \($0)") }
        } catch {
            let reason = error.errno == ENOENT ? "not found" : String(cString: strerror(error.errno))
            return Failure(program: words[0], words: reason)
        }
    }

    /// `%s` stands for the URL; without one it comes last. The program itself is never made of it.
    static func words(_ candidate: [String], _ url: String) -> [String] {
        let arguments = candidate.dropFirst().map { $0.replacing("%s", with: url) }
        let hasPlace = candidate.dropFirst().contains { $0.contains("%s") }
        return candidate.prefix(1) + arguments + (hasPlace ? [] : [url])
    }

    /// Whether a browser, or a script that starts one, can take it for nothing but a URL, and it brings nothing over the network
    /// in the clear (RFC 8252, section 8.3).
    static func isSafe(_ url: String, plainOrigin: Origin? = nil) -> Bool {
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"'`<>\\".utf8.contains($0) }) else { return false }
        if url.hasPrefix("https://") { return true }
        guard url.hasPrefix("http://") else { return false }
        let authority = url.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        if let plainOrigin, plainOrigin.scheme == "http", "http://\(authority)" == plainOrigin.description {
            return true
        }
        return LoopbackRedirect.Host.allCases.contains { host in
            guard authority.hasPrefix(host.rawValue) else { return false }
            let rest = authority.dropFirst(host.rawValue.count)
            return rest.isEmpty
                || rest.hasPrefix(":") && rest.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
    }
}

/// The command that brings the loopback port of this machine to the one where the browser is.
struct SSHTunnel {
    let command: ShellCommand

    /// - Returns: `nil` unless somebody is logged in here by ssh (sshd(8), `SSH_CONNECTION`: address and port of the client, then
    ///   of the server).
    init?(_ environment: ProgramEnvironment, to redirect: LoopbackRedirect, port: Int) {
        let words = (environment["SSH_CONNECTION"] ?? "").split(separator: " ").map(String.init)
        guard words.count == 4, Self.isAddress(words[2]), let server = Int(words[3]), (1...65535).contains(server)
        else { return nil }
        let user = [environment["USER"], environment["LOGNAME"]].compactMap { $0 }.first { !$0.isEmpty }
        let option = server == 22 ? [] : ["-p", String(server)]
        let tunnel = "\(port):\(redirect.host.rawValue):\(port)"
        command = ShellCommand(
            ["ssh"] + option + ["-N", "-L", tunnel, (user.map { "\(SafeText.escaped($0))@" } ?? "") + words[2]])
    }

    /// Whether a text is an address of either family, perhaps with a zone (RFC 4007, section 11).
    private static func isAddress(_ text: String) -> Bool {
        !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                ".:%-_".utf8.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            }
    }
}
