import Secrets

// The grammar of what is pasted. A text is one of four, by how it begins; a byte order mark and blank lines before it do not count:
//
//     bash      "curl" words, as Chromium and Firefox copy them: '…', "…", $'…', a backslash before a byte, and at the end of a line one
//               that goes on. $'…' has \n \r \t \a \b \e \f \v \\ \' \" \?, \cA, \101 (octal), \x41, \u0041 and \U00000041, as bash
//               reads them: a NUL ends the text between these quotes. Of two \u for the halves of one character, which the
//               browsers write, bash makes none, and authctl that one; U+FFFD stands for one half alone.
//               Another backslash stays. What a shell would run or fill in, outside of quotes or inside of "…", is refused.
//     cmd       the same words for the Windows prompt: a caret before a byte is gone outside of quotes, a caret and a line break are one
//               that goes on; then a C program's quotes: a backslash counts only before a quotation mark, and two of these
//               inside of quotes are one
//     headers   "Cookie:" and its line, and more header lines
//     cookies   a cookies.txt: see CookieLine.swift
//
// Of the words of curl count the URL, which needs a scheme, -H, -b and -A, in the long form, too; an option with a value takes it along.
// In the URL \[ \] \{ \} are those characters, as curl has it without --globoff. What is sent to an origin stands in a request to it: of another URL, or of a
// Host: of another, nothing is used.

/// Text that a person has copied in their everyday browser: a request as a command for curl, its `Cookie:` line, or a cookies.txt
/// (the Netscape format).
enum PastedText {
    /// The forms of a text that are read.
    enum Form: Equatable, Sendable {
        case posix, windows, headers, cookieFile
    }

    /// The form of a text, by how it begins; blanks and a byte order mark before it are gone.
    static func form(of text: Secret) throws(CopyFault) -> Form {
        if text.count > PastedLines.limit { throw .tooLong }
        let start = text.withUnsafeBytes { bytes in
            String(decoding: bytes.prefix(4096), as: UTF8.self)
        }
        let lower = start.lowercased()
        if lower.hasPrefix("cookie:") { return .headers }
        if lower.hasPrefix("curl ") || lower.hasPrefix("curl\t") || lower.hasPrefix("curl.exe ") {
            // In quotes a caret is a shell's, too.
            let words = start.drop { !$0.isWhitespace }.drop(while: \.isWhitespace)
            let firstLine = words.prefix { !$0.isNewline }
            return words.hasPrefix("^\"") || firstLine.hasSuffix("^") ? .windows : .posix
        }
        if CookieLine.stands(in: start) || lower.hasPrefix("# netscape http cookie file") { return .cookieFile }
        for (beginning, name) in others where lower.hasPrefix(beginning) { throw .otherForm(name) }
        throw .unknownForm
    }

    private static let others = [
        ("$session", "PowerShell"), ("invoke-webrequest", "PowerShell"), ("fetch(", "fetch"), ("await fetch(", "fetch"),
        ("{", "JSON or HAR"), ("[", "JSON"), ("wget ", "wget"), ("get ", "request headers"),
        ("post ", "request headers"),
    ]
}

extension CopiedRequest {
    /// The session that the profile sends, as far as the request carries it: its cookies, the token of one of its headers, or both.
    /// - Parameters:
    ///   - expires: reads the end of a token, in seconds of Unix time.
    ///   - cookie: makes a cookie of the profile's origin.
    /// - Throws: `noSession` where something of it is missing.
    func session(
        by rule: SessionRule, expires: (_ token: Secret) -> Int64? = { _ in nil },
        cookie: (_ name: String, _ value: Secret) -> Cookie
    ) throws(CopyFault) -> Session {
        let token = token(by: rule)
        let found = records + cookies.map { cookie($0.name, $0.value) }
        switch (rule.cookies, rule.slots.contains(.token)) {
        case (true, false):
            if found.isEmpty { throw .noSession(wanted: ["Cookie"]) }
            return .cookies(found)
        case (let hasCookies, true):
            guard let token, !hasCookies || !found.isEmpty else {
                let ofToken = (rule.headers + rule.writeHeaders).filter { $0.value.slots.contains(.token) }
                throw .noSession(wanted: ofToken.map(\.name.shown) + (hasCookies ? ["Cookie"] : []))
            }
            let session = Token(value: token, refreshToken: nil, expires: expires(token))
            return .token(hasCookies ? session.with(found) : session)
        case (false, false): throw .noSession(wanted: [])
        }
    }

    /// The token, out of the first header that the profile fills it into.
    private func token(by rule: SessionRule) -> Secret? {
        for header in rule.headers + rule.writeHeaders where header.value.slots == [.token] {
            let named = headers.first { $0.name.lowercased() == header.shownName }
            if let value = named?.value, let token = header.value.token(in: value) { return token }
        }
        return nil
    }
}

extension Template {
    /// The value of `{token}`, where that is its only slot, in a text that was filled in by it; the scheme's case does not count.
    fileprivate func token(in text: Secret) -> Secret? {
        guard let index = parts.firstIndex(of: .slot(.token)) else { return nil }
        func literal(_ parts: ArraySlice<Part>) -> String {
            parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
        }
        let before = Array(literal(parts[..<index]).utf8), after = Array(literal(parts[(index + 1)...]).utf8)
        return text.withUnsafeBytes { bytes in
            guard bytes.count > before.count + after.count,
                String(decoding: bytes.prefix(before.count), as: UTF8.self).lowercased()
                    == String(decoding: before, as: UTF8.self).lowercased(),
                bytes.suffix(after.count).elementsEqual(after)
            else { return nil }
            return Secret(
                copying: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(before.count).dropLast(after.count)))
        }
    }
}

/// The reason why a pasted text gives no session.
enum CopyFault: Error, Equatable, Sendable {
    /// Longer than `PastedLines.limit`.
    case tooLong
    /// Of more than `ShellWords.most`.
    case tooManyWords
    /// A quotation or a line that goes on is not ended.
    case unfinished
    /// It has what a shell would run or fill in: a second command, a variable, a redirection.
    case shellSyntax
    /// Copied in a form that is not read, such as PowerShell's; with its name.
    case otherForm(String)
    /// Neither a curl command nor a `Cookie:` line nor a cookies.txt.
    case unknownForm
    /// A curl command without a URL of http or https, or with several.
    case noURL
    /// The fields of its cookies have blanks between them, where the format has tabs.
    case blanksForTabs
    /// More cookies, or longer ones, than are sent with a request.
    case tooManyCookies
    /// None of its cookies would be sent to the service.
    case unsent(Unsent)
    /// Nothing in it is what the profile sends as its session; with what that would be.
    case noSession(wanted: [String])

    /// The reason why a cookie is not sent.
    enum Unsent: Equatable, Sendable {
        case expired
        /// None is of this host itself.
        case otherHost(String)
        case otherPath
        /// They are for https, and the service is reached over http.
        case onlyHTTPS
    }
}
