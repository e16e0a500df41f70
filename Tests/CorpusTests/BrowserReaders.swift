@testable import LoginKit
import Secrets

/// A message of a browser, and the cookies in it as an answer: nothing that verify would not be sent.
func readDevTools(_ bytes: UnsafeRawBufferPointer) {
    switch DevToolsMessage(bytes) {
    case .answer(_, let result?):
        for host in ["wiki.example", "localhost", "127.0.0.1"] {
            let cookies = WindowCookie.cookies(in: result, for: host)
            precondition(cookies.count <= 500)
            for cookie in cookies {
                precondition(
                    cookie.domain == host || cookie.domain.hasPrefix(".") && ".\(host)".hasSuffix(cookie.domain))
                precondition(cookie.path.hasPrefix("/") && cookie.expires ?? 1 > 0)
                precondition(!cookie.isOfParent(of: host) || cookie.domain.count < host.count + 1)
            }
        }
    case .answer, .page, .attached, .paused, .closed, .other: break
    }
}

/// A text that a person pastes: it gives a session or a fault, every cookie and header of it can stand in a header line, and a cookie
/// of a cookies.txt stands in a line of the host that it is sent to.
func readPasted(_ bytes: UnsafeRawBufferPointer) {
    let text = Secret(copying: bytes), origin = Origin(scheme: "https", host: "wiki.example", port: 443)
    do throws(CopyFault) {
        let request = try CopiedRequest(text) { (text) throws(CopyFault) in
            let found = try CookieLine.cookies(in: text, for: origin, path: "/me", now: 1_800_000_000)
            precondition(found.allSatisfy { stands($0, in: text) && $0.expires ?? .max > 1_800_000_000 })
            precondition(found.contains { "/me".matches(cookiePath: $0.path) })
            return found.map(CookieRecord.cookie)
        }
        precondition(request.cookies.allSatisfy { !$0.name.isEmpty && $0.value.isHeaderSafe })
        precondition(request.records.allSatisfy { CookieRecord.isOne($0.record) && $0.value.isHeaderSafe })
        precondition(request.headers.allSatisfy { $0.name.isHeaderName })
        _ = try request.session(by: SessionRule(cookies: true)) { CookieRecord.cookie($0, $1, for: origin) }
    } catch {
        return
    }
}

/// Whether a line that begins with the cookie's host ends with its name and value, by another way than the reader's.
private func stands(_ cookie: CookieLine, in text: Secret) -> Bool {
    let end = Array("\t\(cookie.name)\t".utf8) + cookie.value.withUnsafeBytes { Array($0) }
    return text.withUnsafeBytes { lines(of: $0) }.contains { line in
        let domain = String(decoding: line.prefix { $0 != 0x09 }, as: UTF8.self).lowercased()
        let endsSo =
            line.suffix(end.count) == end[...] || cookie.value.isEmpty && line.suffix(end.count - 1) == end.dropLast()
        return domain.hasSuffix("wiki.example") && endsSo
    }
}

/// The lines, an empty one after each CR LF.
private func lines(of bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    bytes.split(omittingEmptySubsequences: false) { $0 == 0x0a || $0 == 0x0d }.map { Array($0) }
}

/// A netrc file: the password that a host is sent stands between a `machine` of this host and the next line that begins another entry.
func readNetrc(_ bytes: UnsafeRawBufferPointer) {
    let text = Secret(copying: bytes), lines = lines(of: bytes).map { String(decoding: $0, as: UTF8.self) }
    let origin = Origin(scheme: "https", host: "wiki.example", port: 443)
    for username in [nil, "ann"] {
        guard let entry = try? NetrcEntry.find(for: origin, username: username, in: text) else { continue }
        precondition(username == nil || entry.username == nil || entry.username == username)
        let stands = lines.indices.contains { start in
            let own = lines[(start + 1)...].prefix { line in
                let word = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first?.lowercased() ?? ""
                return !["machine", "default", "macdef"].contains(word)
            }
            // What is escaped would have to be read as the reader does.
            let section = ([lines[start]] + own).joined(separator: "\n")
            return section.contains("\\")
                || lines[start].lowercased().contains("wiki.example")
                    && section.contains(entry.password.unprotectedText)
        }
        precondition(stands)
    }
}
