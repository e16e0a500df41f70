package import Secrets

/// A login for one host in a file that curl, ftp and others read (netrc(5)).
package struct NetrcEntry: Equatable, Sendable {
    /// Absent where the entry has no `login`.
    package let username: String?
    package let password: Secret
    /// The number of the line with `machine`, from 1.
    package let line: Int

    /// The first entry with a password for this host; `default` is none.
    /// - Parameters:
    ///   - host: compared without case.
    ///   - username: the entry's `login` has to be this one, if it is named.
    package static func find(host: String, username: String?, in text: Secret) -> NetrcEntry? {
        text.withUnsafeBytes { bytes in
            var tokens = Tokens(bytes)
            var found: Found?
            while let token = tokens.next() {
                switch token.text {
                case "machine":
                    if let entry = found?.entry(username) { return entry }
                    let name = tokens.next()?.text.lowercased()
                    found = name == host.lowercased() ? Found(line: token.line) : nil
                case "default":
                    if let entry = found?.entry(username) { return entry }
                    found = nil
                case "login":
                    let name = tokens.next()?.text
                    found?.username = name
                case "password":
                    let value = tokens.next()?.value
                    found?.password = value
                case "account": _ = tokens.next()
                case "macdef": tokens.skipMacro()
                default: break
                }
            }
            return found?.entry(username)
        }
    }

    private struct Found {
        let line: Int
        var username: String?
        var password: Secret?

        func entry(_ wanted: String?) -> NetrcEntry? {
            guard let password, wanted == nil || wanted == username else { return nil }
            return NetrcEntry(username: username, password: password, line: line)
        }
    }

    /// Words between blanks, or in quotation marks with backslashes before those (curl, since 7.84); a `#` begins a comment.
    private struct Tokens {
        private let bytes: UnsafeRawBufferPointer
        private var place = 0
        private var line = 1

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        mutating func next() -> (value: Secret, text: String, line: Int)? {
            skipBlanks()
            guard place < bytes.count else { return nil }
            let start = line
            var value = SecretBuilder(limit: bytes.count + 1)
            let isQuoted = bytes[place] == UInt8(ascii: "\"")
            if isQuoted { place += 1 }
            while place < bytes.count {
                var byte = bytes[place]
                if isQuoted ? byte == UInt8(ascii: "\"") : Self.isBlank(byte) { break }
                if isQuoted, byte == UInt8(ascii: "\\"), place + 1 < bytes.count {
                    place += 1
                    byte = Self.escaped(bytes[place])
                }
                if bytes[place] == UInt8(ascii: "\n") { line += 1 }
                // It is never longer than the file.
                do throws(SecretBuilder.LimitExceeded) { try value.append(byte) } catch { return nil }
                place += 1
            }
            if isQuoted { place += 1 }
            let secret = value.finish()
            return (secret, secret.withUnsafeBytes { String(decoding: $0.prefix(300), as: UTF8.self) }, start)
        }

        /// What curl makes of the letter behind a backslash.
        private static func escaped(_ letter: UInt8) -> UInt8 {
            switch letter {
            case UInt8(ascii: "n"): 0x0a
            case UInt8(ascii: "r"): 0x0d
            case UInt8(ascii: "t"): 0x09
            default: letter
            }
        }

        /// A macro ends with an empty line.
        mutating func skipMacro() {
            var isEmpty = false
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                guard byte == UInt8(ascii: "\n") else {
                    if byte != UInt8(ascii: "\r") { isEmpty = false }
                    continue
                }
                line += 1
                if isEmpty { return }
                isEmpty = true
            }
        }

        private mutating func skipBlanks() {
            while place < bytes.count {
                let byte = bytes[place]
                if byte == UInt8(ascii: "#") {
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
                    continue
                }
                guard Self.isBlank(byte) else { return }
                if byte == UInt8(ascii: "\n") { line += 1 }
                place += 1
            }
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    }
}
