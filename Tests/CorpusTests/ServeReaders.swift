@testable import LoginKit

/// The target of a request that rules judge: no reading leads elsewhere, and none is decoded once more.
func readServedPath(_ bytes: UnsafeRawBufferPointer) {
    let target = String(decoding: bytes, as: UTF8.self)
    guard let path = try? ServedPath(target) else { return }
    precondition(path.text.utf8.first == UInt8(ascii: "/") && target.hasPrefix(path.text))
    precondition(path.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    precondition((1...3).contains(path.readings.count))
    for reading in path.readings {
        precondition(!reading.isEmpty)
        for segment in reading {
            precondition(segment != Array(".".utf8) && segment != Array("..".utf8))
            precondition(!segment.contains { $0 < 0x20 || $0 == 0x7F || "\\;%".utf8.contains($0) })
            precondition(String(validating: segment, as: UTF8.self) != nil)
        }
    }
    let act = ServedAct(method: "GET", path: path)
    precondition(ServeRules([ServeRuleSet(allow: [.readOnly])]).decision(on: [act]) == .allowed(by: .readOnly))
    precondition(
        ServeRules([ServeRuleSet(allow: [.readOnly], deny: [.readOnly])]).decision(on: [act]) != .allowed(by: .readOnly)
    )
}

/// A rule, and behind the first line's end a path for it: with the same rule twice, `deny` wins wherever `allow` would pass.
func readServeRule(_ bytes: UnsafeRawBufferPointer) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let line = lines.first, let rule = try? ServeRule(String(decoding: line, as: UTF8.self)) else { return }
    precondition(rule.text.utf8.count <= ServeRule.longest)
    precondition((try? ServeRule(rule.text)) == rule)
    guard lines.count > 1, let path = try? ServedPath(String(decoding: lines[1], as: UTF8.self)) else { return }
    for method in ["GET", "DELETE", ServeRule.webSocket] {
        let act = ServedAct(method: method, path: path)
        guard case .allowed = ServeRules([ServeRuleSet(allow: [rule])]).decision(on: [act]) else { continue }
        let denied = ServeRules([ServeRuleSet(allow: [rule], deny: [rule])]).decision(on: [act])
        precondition(denied == .refused(act, by: rule))
    }
}

/// A body; its first byte chooses the type, and whether it goes on.
func readServedBody(_ bytes: UnsafeRawBufferPointer) {
    guard let first = bytes.first else { return }
    let types = [
        "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=b",
        "multipart/mixed; boundary=b", "",
    ]
    let body = Array(bytes.dropFirst())
    let fields = [
        ServedField("Content-Length", "\(body.count + 1)"),
        ServedField("Content-Type", types[Int(first) % types.count]),
    ]
    let headers = ServedHeaders(
        root: "http://127.0.0.1:40404/5e63e7", origin: Origin(scheme: "https", host: "p.example", port: 443),
        rule: SessionRule())
    let head = ServedHead(method: "POST", target: "/5e63e7/x", fields: fields)
    guard let acts = try? ServedActs(head, target: "/x", headers), let reader = try? acts.body() else { return }
    guard let methods = try? reader.methods(in: body, isWhole: first < 0x80) else { return }
    precondition(methods.allSatisfy { !$0.isEmpty && $0 == $0.uppercased() && !$0.contains(" ") })
    if let all = try? acts.with(methods: methods) {
        precondition((1...1 + ServedActs.mostMethods).contains(all.count) && methods.isEmpty == (all.count == 1))
    }
}

/// A request to the proxy of a run, and what is behind its head: nothing for the proxy goes on, and a body ends at one place, in whatever
/// pieces it comes.
func readProxiedHead(_ bytes: UnsafeRawBufferPointer) {
    let all = Array(bytes)
    guard let end = all.firstRange(of: Array("\r\n\r\n".utf8)), let head = ServedHead(proxied: all[..<end.upperBound])
    else { return }
    precondition(head.method.isHeaderName && head.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    guard let way = ProxyWay(head), ServeGate.hasOneLength(head) else { return }
    switch way {
    case .tunnel(let origin), .secure(let origin), .plain(let origin, _):
        precondition(
            (1...65535).contains(origin.port) && !origin.host.isEmpty && origin.host == origin.host.lowercased())
        precondition(!origin.host.contains { "@/?#\\ ".contains($0) })
    }
    guard case .plain(let origin, let target) = way else { return }
    let lines = String(decoding: head.forwarded(to: origin, target: target), as: UTF8.self).split(separator: "\r\n")
    precondition(lines.count { $0.lowercased().hasPrefix("connection:") } == 1)
    precondition(lines.count { $0.lowercased().hasPrefix("host:") } == 1)
    precondition(!lines.contains { $0.lowercased().hasPrefix("proxy-") })
    var whole = BodyEnd(head), single = BodyEnd(head), count: Int? = 0
    let rest = Array(all[end.upperBound...])
    for byte in rest {
        guard let own = [byte].withUnsafeBytes({ single.take($0) }) else {
            count = nil
            break
        }
        if own == 0 { break }
        count = count.map { $0 + 1 }
    }
    precondition(rest.withUnsafeBytes { whole.take($0) } == count)
}

/// The first message of TLS: what names a server at some length names the same at each greater one.
func readClientHello(_ bytes: UnsafeRawBufferPointer) {
    let all = Array(bytes)
    var found: ClientHello?
    for count in 0...all.count where count % 7 == 0 || count == all.count {
        let read = ClientHello(all[..<count])
        precondition(found == nil || read == found)
        found = read
    }
    guard case .server(let name?) = found else { return }
    precondition(HostName.isUsable(name) && name == name.lowercased() && !name.hasPrefix("["))
}

/// A query for a name: an answer repeats its number, is one, and is no longer than its question and an address.
func readNameQuery(_ bytes: UnsafeRawBufferPointer) {
    let query = Array(bytes)
    guard let answer = NameAnswer.bytes(to: query, address: [198, 18, 0, 1]) else { return }
    precondition((12...12 + 255 + 5 + 16).contains(answer.count) && answer[..<2] == query[..<2])
    precondition(answer[2] & 0x80 != 0 && NameAnswer.bytes(to: answer, address: [198, 18, 0, 1]) == nil)
}

/// A request to an endpoint of GraphQL, or its document: what is read has fields that rules can judge, and what rules of queries let through
/// has nothing else.
func readGraphQL(_ bytes: UnsafeRawBufferPointer) {
    let body = Array(bytes), text = String(decoding: body, as: UTF8.self)
    var quoted = JSONText()
    quoted.add("query", text)
    for body in [body, Array(quoted.finished.utf8)] {
        guard let request = try? GraphQLRequest(body: body) else { continue }
        let acts = request.acts, fields = request.operations.flatMap(\.fields)
        precondition(
            (1...GraphQLRequest.mostFields).contains(fields.count) && !acts.isEmpty && !request.written.isEmpty)
        precondition(fields.allSatisfy { $0.utf8.first?.isNameStart == true && $0.utf8.allSatisfy(\.isNamePart) })
        let rules = ServeRules([ServeRuleSet(allow: [.readOnlyGraphQL])])
        if case .allowed = rules.decision(on: acts) {
            precondition(request.operations.allSatisfy { $0.kind == .query })
        }
    }
    let parameters = try? GraphQLRequest(parameters: text.utf8)
    precondition(parameters?.operations.allSatisfy { $0.kind == .query } ?? true)
}
