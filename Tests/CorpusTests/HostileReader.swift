@testable import LoginKit
import Secrets

@testable import AuthctlCLI

/// The readers of what others wrote, each as one function of bytes: libFuzzer calls them without end (`make fuzz`), and a
/// test with every file of the corpus.
///
/// Whatever the bytes are, a reader comes back, and what it gives keeps its promises.
enum HostileReader: String, CaseIterable {
    case challenge, cookie, profile, form, helper, json, loopback, metadata, netrc, pasted, xml
    case devTools = "devtools"
    case servedPath = "served-path"
    case servedBody = "served-body"
    case serveRule = "serve-rule"
    case tokenAnswer = "token-answer"
    case proxiedHead = "proxied-head"
    case clientHello = "client-hello"
    case nameQuery = "name-query"
    case graphQL = "graphql"

    func read(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .challenge: readChallenge(bytes)
        case .cookie: readCookies(bytes)
        case .profile: readProfile(bytes)
        case .form: readForm(bytes)
        case .helper: readHelper(bytes)
        case .json: readJSON(bytes)
        case .loopback: readLoopback(bytes)
        case .metadata: readMetadata(bytes)
        case .servedPath: readServedPath(bytes)
        case .servedBody: readServedBody(bytes)
        case .serveRule: readServeRule(bytes)
        case .xml: readXML(bytes)
        case .netrc: readNetrc(bytes)
        case .pasted: readPasted(bytes)
        case .devTools: readDevTools(bytes)
        case .tokenAnswer: readTokenAnswer(bytes)
        case .proxiedHead: readProxiedHead(bytes)
        case .clientHello: readClientHello(bytes)
        case .nameQuery: readNameQuery(bytes)
        case .graphQL: readGraphQL(bytes)
        }
    }
}

/// The header lines of an answer, from libcurl's callback to the challenges.
private func readChallenge(_ bytes: UnsafeRawBufferPointer) {
    var head = HeadCollector(limit: 64 << 10)
    _ = Array("HTTP/1.1 401 Unauthorized".utf8).withUnsafeBytes { try? head.append($0) }
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        _ = try? head.append(UnsafeRawBufferPointer(rebasing: line))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let values = head.fields.filter { $0.name.lowercased() == "www-authenticate" }.map(\.value) + [text]
    for challenge in AuthenticateChallenge.parse(values) {
        precondition(!challenge.scheme.isEmpty && challenge.scheme == challenge.scheme.lowercased())
        precondition(challenge.token68 == nil || challenge.parameters.isEmpty)
        precondition(challenge.parameters.keys.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty })
        let shown = SafeText.quoted(challenge.realm ?? "")
        precondition(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
        precondition(shown.unicodeScalars.count <= 303)
    }
}

/// The body of an answer: what is read is UTF-8, and bounded.
private func readJSON(_ bytes: UnsafeRawBufferPointer) {
    guard let value = try? JSONReader.read(bytes) else { return }
    precondition(String(validating: bytes, as: UTF8.self) != nil)
    precondition(depth(of: value) <= JSONReader.deepest)
}

private func depth(of value: JSONValue) -> Int {
    switch value {
    case .null, .bool, .integer, .number, .string: 0
    case .array(let elements): 1 + (elements.map { depth(of: $0) }.max() ?? 0)
    case .object(let members): 1 + (members.values.map { depth(of: $0) }.max() ?? 0)
    }
}

/// A `Set-Cookie` for each line, and the cookies that follow offered once more.
private func readCookies(_ bytes: UnsafeRawBufferPointer) {
    // Dates are read by libcurl, which this opens.
    guard let url = try? URLParser.parsed("https://www.example.org/a/b") else { return }
    var jar = CookieJar([], at: url)
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(60) { jar.take(line) }
    precondition(CookieJar.holds(jar.cookies) && jar.cookies.sent(to: url).count <= jar.cookies.count)
    jar.cookies.forEach(checkCookie)
    // One may end meanwhile.
    precondition(CookieJar(jar.cookies, at: url).cookies.allSatisfy(jar.cookies.contains))
}

private func checkCookie(_ cookie: Cookie) {
    precondition(CookieRecord.isOne(cookie.record) && cookie.record.isHeaderSafe && !cookie.name.isEmpty)
    precondition((cookie.expires ?? 1) != 0)
}

/// A configuration, from its bytes to its profiles.
private func readProfile(_ bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard case .table(let members)? = try? ConfigValue.parse(text, file: "config.toml") else { return }
    let top = StrictTable(members, file: "config.toml", path: "")
    let decoder = ProfileDecoder(folder: "/etc/authctl", home: "/home/anna")
    var tables = [("top", top)]
    if let profiles = try? top["profiles"]?.inner() {
        tables += profiles.entries.compactMap { entry in (try? entry.inner()).map { (entry.key, $0) } }
    }
    for (name, table) in tables {
        _ = (try? table.risks(), table.withoutRisks)
        guard let profile = try? decoder.profile(named: name, table) else { continue }
        for rule in [profile.verify, profile.login, profile.refresh, profile.logout].compactMap({ $0 }) {
            checkRule(rule)
        }
    }
}

/// Nothing that a profile says can leave its origin or put a password into a URL.
private func checkRule(_ rule: RequestRule) {
    precondition(!rule.urlSlots.contains(where: \.isTypedSecret))
    precondition(rule.page?.hasPrefix("/") ?? true)
    var values = SlotValues()
    (values.username, values.password, values.token) = ("us er", Secret("pass\"word"), Secret("t"))
    values.refreshToken = Secret("r")
    let base = "https://p.example"
    guard let request = try? rule.request(base: base, values) else { return }
    precondition(request.url.hasPrefix(base + "/") && request.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
    precondition(request.headers.allSatisfy { $0.value.isHeaderSafe && !$0.name.isEmpty })
}

/// What git asks of its helper: nothing in it adds a line to an answer, or names two hosts.
private func readHelper(_ bytes: UnsafeRawBufferPointer) {
    guard let request = try? GitCredentialRequest(parsing: Secret(copying: bytes)) else { return }
    let texts = [request.url, request.username].compactMap { $0 }
    precondition(texts.allSatisfy { $0.utf8.allSatisfy { ![0, 0x0a, 0x0d].contains($0) } })
    if let url = request.url, let parsed = try? URLParser().parse(url) {
        precondition(HostName.isUsable(parsed.origin.host))
        precondition(["https", "http"].contains(parsed.origin.scheme))
    }
    let session = Session.credential(Credential(username: request.username, .password(request.password ?? Secret(""))))
    guard let lent = try? LentLogin(session, SessionRule(), SlotValues(session, username: "")),
        let answer = try? lent.gitAnswer()
    else {
        return
    }
    let lines = answer.withUnsafeBytes {
        $0.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
    }
    precondition(lines == 2)
}
