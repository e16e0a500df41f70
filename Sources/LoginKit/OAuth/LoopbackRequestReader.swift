import Glibc
import Secrets

/// Reads the head of one HTTP request in pieces (RFC 9112, sections 2 and 3), within bounds, and nothing of a body.
///
/// It knows as much of HTTP as a browser says to a redirect. What is not exactly that is malformed, and found out as soon as it
/// is there: a TLS hello at its first byte. The bytes lie in one buffer that is wiped.
final class LoopbackRequestReader {
    /// The result so far.
    enum Progress: Equatable, Sendable {
        /// The request is not complete yet.
        case unfinished
        case request(LoopbackRequest)
        /// No request, or one that is too long.
        case malformed
    }

    /// In bytes, of request line and header together.
    static let limit = 16 << 10

    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0
    private var lineStart = 0
    private var lines: [Slice<UnsafeRawBufferPointer>] = []

    /// Begins with nothing.
    init() {
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.limit, alignment: 1)
    }

    deinit {
        if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        buffer.deallocate()
    }

    /// Whether anything was read.
    var isEmpty: Bool { count == 0 }

    /// Where the next bytes belong; never empty before the end.
    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[count...]) }

    /// Takes note that so many bytes were written to `room`.
    func advance(by added: Int) -> Progress {
        let old = count
        count += added
        for index in old..<count {
            switch buffer[index] {
            case UInt8(ascii: "\n"):
                let line = UnsafeRawBufferPointer(buffer)[lineStart...index].withoutLineEnd
                if line.isEmpty { return request.map { .request($0) } ?? .malformed }
                lines.append(line)
                lineStart = index + 1
            case UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
            case 0..<0x20, 0x7F: return .malformed
            default: break
            }
        }
        return count == Self.limit ? .malformed : .unfinished
    }

    /// `nil` where a line is not what it has to be.
    private var request: LoopbackRequest? {
        guard let first = lines.first, let (method, target) = requestLine(first) else { return nil }
        var hosts: [String] = []
        for line in lines.dropFirst() {
            guard let (name, value) = field(line) else { return nil }
            if name.lowercased() == "host" { hosts.append(value) }
        }
        return LoopbackRequest(method: method, hosts: hosts, target: target)
    }

    /// RFC 9112, section 3.
    private func requestLine(_ line: Slice<UnsafeRawBufferPointer>) -> (method: String, target: Secret)? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let method = String(decoding: words[0], as: UTF8.self)
        guard words.count == 3, method.isHeaderName, method.utf8.count <= 20 else { return nil }
        guard words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8) else { return nil }
        guard !words[1].isEmpty, words[1].allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return (method, Secret(copying: UnsafeRawBufferPointer(rebasing: words[1])))
    }

    /// RFC 9112, section 5: no blank before the colon, and no line that goes on in the next one.
    private func field(_ line: Slice<UnsafeRawBufferPointer>) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), !line.contains(UInt8(ascii: "\r")) else { return nil }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        return name.isHeaderName ? (name, line[(colon + 1)...].trimmed) : nil
    }
}

/// A page for the browser, one of a few fixed ones. None repeats what the browser sent, names anybody, has a script or leads elsewhere.
struct LoopbackPage: Equatable {
    let status: Int
    let title: String
    let text: String

    private static let goodbye = "You can close this tab and return to the terminal."

    /// For the response to this login: it leads to the page without code and state.
    static let moved = LoopbackPage(status: 303, title: "authctl", text: goodbye)

    /// The code is there; the rest of the login goes on without the browser.
    static let answered = LoopbackPage(status: 200, title: "authctl: response received", text: goodbye)
    static let denied = LoopbackPage(
        status: 200, title: "authctl: login denied", text: "The server denied the login. \(goodbye)")

    /// The reason why is in the status alone.
    static func refused(_ forgery: Forgery) -> LoopbackPage {
        LoopbackPage(
            status: forgery.status, title: "authctl: no login is waiting",
            text: "No login is waiting for this response.")
    }

    /// The whole response (RFC 9112, section 4).
    /// - Parameter hasBody: not in the response to HEAD (RFC 9110, section 9.3.2).
    func response(hasBody: Bool = true) -> [UInt8] {
        let body = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(title)</title>
            <p>\(text)</p>

            """
        var lines = [
            "HTTP/1.1 \(status) \(phrase)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
            "Content-Security-Policy: default-src 'none'",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        if status == 303 { lines.append("Location: \(LoopbackRedirect.donePath)") }
        // RFC 9110, section 15.5.6.
        if status == 405 { lines.append("Allow: GET") }
        return Array((lines + ["", hasBody ? body : ""]).joined(separator: "\r\n").utf8)
    }

    private var phrase: String {
        switch status {
        case 200: "OK"
        case 303: "See Other"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        default: "Bad Request"
        }
    }
}
