import LoginCore
import Secrets

@testable import LoginKit

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

/// A text that a person pastes: it gives a session or a fault, and every cookie and header of it can stand in a header line.
func readPasted(_ bytes: UnsafeRawBufferPointer) {
    let text = Secret(copying: bytes), origin = Origin(scheme: "https", host: "wiki.example", port: 443)
    do throws(CopyFault) {
        let request: CopiedRequest
        switch try PastedText.form(of: text) {
        case .posix: request = try CopiedRequest(curl: ShellWords.posix(text))
        case .windows: request = try CopiedRequest(curl: ShellWords.windows(text))
        case .cookieLine: request = CopiedRequest(cookieLine: text)
        case .cookieFile: request = CopiedRequest(cookies: CookieRecord.cookies(inFile: text, for: origin))
        }
        precondition(request.cookies.count <= 200)
        precondition(request.cookies.allSatisfy { !$0.name.isEmpty && $0.value.isHeaderSafe })
        precondition(request.headers.allSatisfy { $0.name.isHeaderName })
        _ = try request.session(by: SessionRule(cookies: true)) { CookieRecord.cookie($0, $1, for: origin) }
    } catch {
        return
    }
    _ = try? NetrcEntry.find(for: origin, username: nil, in: text)
}
