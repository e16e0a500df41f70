import LoginKit
import Secrets

/// The answers to git (gitcredentials(7), "CUSTOM HELPERS").
struct GitHelper {
    enum Verb: String, CaseIterable {
        case get, store, erase
    }

    let invocation: Invocation

    func answer(_ method: Verb) throws(LoginFault) {
        let input = try invocation.helperInput(endsWithBlankLine: true)
        switch method {
        case .get: try get(try GitCredentialRequest(parsing: input))
        case .erase: try erase(try GitCredentialRequest(parsing: input))
        // What git found to work was never verified, and is stored here already if it came from here.
        case .store: break
        }
    }

    private func get(_ request: GitCredentialRequest) throws(LoginFault) {
        guard !request.isOver,
            let (login, _) = try login(request, mayProve: { request.takesAuthtype || $0.sessionRule.basic != nil }),
            let lent = try login.lent()
        else {
            return
        }
        if case .token = lent.proof, !request.takesAuthtype {
            return invocation.say("authctl: \(login.otherWay)")
        }
        try invocation.streams.result(try lent.gitAnswer())
    }

    /// git erases after every 401, one for missing rights included; so the service has the last word.
    private func erase(_ request: GitCredentialRequest) throws(LoginFault) {
        guard let (login, password) = try login(request) else { return }
        if let supplied = password ?? request.credential, try login.stored()?.secret != supplied {
            return invocation.explain("git wants to erase another login than the stored one")
        }
        let name = login.profile.name
        guard login.profile.verify != nil else {
            return invocation.say("authctl: \(name): the service has no way to check this login, so it was kept")
        }
        if try login.holds() {
            invocation.say(
                "authctl: \(name): the service still accepts this login, so it was kept; a permission may be missing")
        } else {
            invocation.say(
                "authctl: \(name): the service refuses the stored login; log in again: \(ShellCommand("authctl", "login", name))"
            )
        }
    }

    private func login(
        _ request: GitCredentialRequest, mayProve: (Profile) -> Bool = { _ in false }
    ) throws(LoginFault) -> (login: HelperLogin, password: Secret?)? {
        guard let url = request.url, let (origin, user, password) = try invocation.helperOrigin(url),
            let login = try invocation.helperLogin(at: origin, username: request.username ?? user, mayProve: mayProve)
        else { return nil }
        return (login, request.password ?? password)
    }
}

/// A request of git to a credential helper: one attribute a line, up to a blank line or the end
/// (git-credential(1), "INPUT/OUTPUT FORMAT").
///
/// Stricter than git in one respect: what two readers could read in two ways is refused, since a line that was smuggled in
/// would have the credential of one host sent to another (CVE-2020-5260, CVE-2024-50338, CVE-2024-52006).
struct GitCredentialRequest: Equatable, Sendable {
    /// In bytes.
    static let limit = 64 << 10

    /// For whom, as an absolute URL that has still to be parsed; `nil` if `host` cannot be one.
    let url: String?
    /// Selects the account.
    let username: String?
    /// The credential to erase.
    let password: Secret?
    /// The same, of a token.
    let credential: Secret?
    /// Whether git takes an `authtype` and the `credential` that goes with it.
    let takesAuthtype: Bool
    /// Whether no helper is to answer any more.
    let isOver: Bool

    /// - Throws: for whatever git itself would not have written.
    init(parsing input: Secret) throws(LoginFault) {
        guard input.count <= Self.limit else { throw .malformedRequest("longer than \(Self.limit) bytes") }
        let lines = try GitCredentialLines(input)
        username = try lines.text("username").flatMap { $0.isEmpty ? nil : $0 }
        password = lines.value("password")
        credential = lines.value("credential")
        takesAuthtype = lines.capabilities.contains("authtype")
        isOver = lines.value("quit").map { ["1", "true", "yes", "on"].contains($0.unprotectedText) } ?? false
        url = try Self.url(lines)
    }

    private static func url(_ lines: GitCredentialLines) throws(LoginFault) -> String? {
        if let url = try lines.text("url") {
            for other in ["protocol", "host"] where lines.value(other) != nil {
                throw .malformedRequest("\(SafeText.quoted(other)) occurs twice")
            }
            guard !hasEncodedControl(url) else { throw .malformedRequest("a value contains a control character") }
            guard let scheme = url.firstRange(of: "://"), scheme.lowerBound > url.startIndex else {
                throw .malformedRequest("invalid URL")
            }
            guard let first = url[scheme.upperBound...].first, !"/?#".contains(first) else {
                throw .malformedRequest("missing \(SafeText.quoted("host"))")
            }
            return url
        }
        guard let scheme = try lines.text("protocol"), !scheme.isEmpty else {
            throw .malformedRequest("missing \(SafeText.quoted("protocol"))")
        }
        guard let host = try lines.text("host"), !host.isEmpty else {
            throw .malformedRequest("missing \(SafeText.quoted("host"))")
        }
        // A host alone: nothing that a parser of URLs would read as user information, a path or an escape.
        return ["https", "http"].contains(scheme) && host.utf8.allSatisfy(isOfHost) ? "\(scheme)://\(host)" : nil
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
            || "-._:[]".utf8.contains(byte)
    }

    /// git decodes the parts of a URL before it writes them, so that a `%0a` would become a line.
    private static func hasEncodedControl(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        return bytes.indices.dropLast(2).contains { index in
            guard bytes[index] == UInt8(ascii: "%") else { return false }
            return Hexadecimal.byte(bytes[index + 1], bytes[index + 2]).map { $0 < 0x20 || $0 == 0x7F } ?? false
        }
    }
}

/// The attributes of a request in git's credential protocol, still as bytes.
struct GitCredentialLines {
    /// The values of `capability[]`, in order.
    private(set) var capabilities: [String] = []

    private var values: [String: Secret] = [:]
    /// The names of all attributes so far that may not occur twice.
    private var seen: Set<String> = []

    /// The attributes that say something here; git's others, and those that it does not have yet, are passed over.
    private static let known: Set<String> = [
        "protocol", "host", "username", "password", "url", "credential", "quit",
    ]

    init(_ input: Secret) throws(LoginFault) {
        let ends = input.withUnsafeBytes { bytes in bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") } }
        var start = 0
        for end in ends + [input.count] {
            // A blank line is the end; what follows it was not asked.
            guard end > start else { return }
            try take(start..<end, of: input)
            start = end + 1
        }
    }

    func value(_ attribute: String) -> Secret? { values[attribute] }

    func text(_ attribute: String) throws(LoginFault) -> String? {
        guard let value = values[attribute] else { return nil }
        guard let text = value.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .malformedRequest("\(SafeText.quoted(attribute)) is not UTF-8")
        }
        return text
    }

    private mutating func take(_ line: Range<Int>, of input: Secret) throws(LoginFault) {
        let (name, value): (String, Secret) = try input.withUnsafeBytes { (bytes) throws(LoginFault) in
            let line = bytes[line]
            // A carriage return ends a line for some readers and not for others.
            guard !line.contains(0), !line.contains(UInt8(ascii: "\r")) else {
                throw .malformedRequest("a value contains a control character")
            }
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
                throw .malformedRequest("a line without '='")
            }
            let name = String(decoding: line[..<equals], as: UTF8.self)
            return (name, Secret(copying: UnsafeRawBufferPointer(rebasing: line[(equals + 1)...])))
        }
        if name == "capability[]" {
            // An empty value takes back what was said before it.
            if value.isEmpty { capabilities = [] } else { capabilities.append(value.unprotectedText) }
            return
        }
        // Those that are lists for git say so by their names.
        guard name.hasSuffix("[]") || seen.insert(name).inserted else {
            throw .malformedRequest("\(SafeText.quoted(name)) occurs twice")
        }
        if Self.known.contains(name) { values[name] = value }
    }
}
