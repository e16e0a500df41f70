import Secrets

// The grammar of netrc, as far as curl, ftp, Python's netrc, Emacs and git-credential-netrc read it alike:
//
//     file    = [BOM] *line                     ; LF, CRLF or CR ends a line
//     line    = *( entry | item | macro | comment )
//     entry   = "machine" value | "default"     ; closes the entry before it
//     item    = keyword value                   ; once in an entry, which begins on this line or an earlier one
//     keyword = "login" | "user" | "password" | "passwd" | "account" | "port" | "protocol"
//     macro   = "macdef" value, lines, an empty line or the end of the file     ; closes the entry before it
//     value   = word | quoted                   ; on the line of its keyword
//     word    = what stands up to a blank; backslashes, quotes and "#" in it are its own; a keyword needs quotes
//     quoted  = a double quote, what stands up to the next, a blank or the end of the line;
//               \n, \r and \t in it are what they are in C, a backslash before another byte is that byte (curl, since 7.84)
//     comment = "#" where a keyword could stand, and the rest of the line
//
// Keywords are compared without case (curl). The programs differ where something is missing, and then a host may be sent what is
// another's: curl 7.88 takes the next line's "machine" for a password that is not there, and Python's netrc reads an open quote up to
// one in another entry; of two passwords curl takes the first and Python the last, and "#123" is a password for Python alone. Such a
// file is refused as a whole, wherever the fault stands: nobody can tell which entry a value belongs to.

/// A login for one host in a file that curl, ftp and others read (netrc(5)).
struct NetrcEntry: Equatable, Sendable {
    /// Absent where the entry has no `login`.
    let username: String?
    let password: Secret
    /// The number of the line with `machine`, from 1.
    let line: Int

    /// The first entry with a password for this origin; `default` is none.
    /// - Parameter username: the entry's `login` has to be this one, if it is named. An entry without a `login` is for
    ///   every name that has none of its own.
    /// - Throws: `NetrcFault` for a file with anything that is not of the grammar.
    static func find(
        for origin: Origin, username: String?, in text: Secret
    ) throws(NetrcFault) -> NetrcEntry? {
        let entries = try text.withoutByteOrderMark.withUnsafeBytes { (bytes) throws(NetrcFault) in
            var reader = NetrcReader(bytes)
            return try reader.entries(for: origin, username)
        }
        return entries.first { $0.username == username } ?? entries.first
    }
}

/// The reason why a netrc file cannot be read. It has no word of the file, which may be part of a password.
struct NetrcFault: Error, Equatable, Sendable {
    /// From 1.
    let line: Int
    let problem: String
}

/// Reads a file word by word; no word crosses the end of its line.
private struct NetrcReader {
    private enum Keyword: String {
        case machine, `default`, macdef, login, password, account, port, `protocol`

        init?(_ word: Word) {
            guard !word.isQuoted, word.bytes.count <= 8 else { return nil }
            switch String(decoding: word.bytes, as: UTF8.self).lowercased() {
            case "user": self = .login
            case "passwd": self = .password
            case let text: self.init(rawValue: text)
            }
        }
    }

    /// Bytes of a line, between the quotes where there are some.
    private struct Word {
        let bytes: Slice<UnsafeRawBufferPointer>
        let isQuoted: Bool
        let line: Int

        var value: Secret {
            guard isQuoted else { return Secret(copying: UnsafeRawBufferPointer(rebasing: bytes)) }
            var plain = unescaped
            defer { for index in plain.indices { plain[index] = 0 } }
            return plain.withUnsafeBytes { Secret(copying: $0) }
        }

        /// Returns the text of a word that is not a password.
        func text() throws(NetrcFault) -> String {
            let text =
                isQuoted ? String(validating: unescaped, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
            guard let text else { throw NetrcFault(line: line, problem: "the text is not UTF-8") }
            return text
        }

        private var unescaped: [UInt8] {
            var plain: [UInt8] = [], isEscaped = false
            plain.reserveCapacity(bytes.count)
            for byte in bytes {
                let isMark = byte == UInt8(ascii: "\\") && !isEscaped
                if !isMark { plain.append(isEscaped ? Self.escaped(byte) : byte) }
                isEscaped = isMark
            }
            return plain
        }

        /// Decodes the letter after a backslash as curl does.
        private static func escaped(_ letter: UInt8) -> UInt8 {
            switch letter {
            case UInt8(ascii: "n"): 0x0a
            case UInt8(ascii: "r"): 0x0d
            case UInt8(ascii: "t"): 0x09
            default: letter
            }
        }
    }

    /// The words between one `machine` or `default` and the next.
    private struct Section {
        let machine: Word?
        var items: [Keyword: Word] = [:]

        func isFor(_ origin: Origin) throws(NetrcFault) -> Bool {
            guard [origin.host, origin.bareHost].contains(try machine?.text().lowercased()) else { return false }
            let (port, scheme) = try (items[.port]?.text().lowercased(), items[.protocol]?.text().lowercased())
            return [nil, "\(origin.port)", origin.hasDefaultPort ? origin.scheme : nil].contains(port)
                && [nil, origin.scheme].contains(scheme)
        }
    }

    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var line = 1

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns the first entry with a password for this origin; given a name, the first with it and the first without any.
    mutating func entries(for origin: Origin, _ username: String?) throws(NetrcFault) -> [NetrcEntry] {
        var entries: [NetrcEntry] = [], section: Section?
        func keep() throws(NetrcFault) {
            guard let section, let machine = section.machine, let password = section.items[.password],
                try section.isFor(origin)
            else { return }
            let name = try section.items[.login]?.text()
            let isWanted =
                if let username, name?.isSame(as: username) == false {
                    false
                } else {
                    username == nil ? entries.isEmpty : !entries.contains { $0.username == name }
                }
            guard isWanted else { return }
            entries.append(NetrcEntry(username: name, password: password.value, line: machine.line))
        }
        while place < bytes.count {
            guard let word = try isAtComment() ? nil : word() else {
                endLine()
                continue
            }
            guard let keyword = Keyword(word) else { throw noKeyword }
            switch keyword {
            case .machine, .default, .macdef:
                try keep()
                section = nil
                if keyword == .default { section = Section(machine: nil) }
                if keyword == .machine { section = Section(machine: try value(of: keyword)) }
                if keyword == .macdef { try skipMacro() }
            case .login, .password, .account, .port, .protocol:
                guard section != nil else {
                    throw fault("'\(keyword.rawValue)' belongs behind a 'machine' and its name")
                }
                let value = try value(of: keyword)
                guard section?.items.updateValue(value, forKey: keyword) == nil else {
                    throw fault("a second '\(keyword.rawValue)' for one machine")
                }
            }
        }
        try keep()
        return entries
    }

    private var noKeyword: NetrcFault {
        fault("a word where a keyword belongs; a value with blanks needs double quotes")
    }
    private var badQuote: NetrcFault { fault("a double quote has to end on its line, before a blank") }

    private func fault(_ problem: String) -> NetrcFault { NetrcFault(line: line, problem: problem) }

    private mutating func value(of keyword: Keyword) throws(NetrcFault) -> Word {
        // Where the value is missing, the next keyword would be taken for it.
        guard let word = try word(), Keyword(word) == nil else {
            throw fault(
                "there is no value behind '\(keyword.rawValue)' on this line (one that is itself a keyword needs double quotes)"
            )
        }
        return word
    }

    /// A macro ends with an empty line.
    private mutating func skipMacro() throws(NetrcFault) {
        _ = try value(of: .macdef)
        guard try word() == nil else { throw noKeyword }
        repeat { endLine() } while place < bytes.count && !isLineEnd(bytes[place])
    }

    private mutating func isAtComment() -> Bool {
        skipBlanks()
        return place < bytes.count && bytes[place] == UInt8(ascii: "#")
    }

    /// The next word of this line.
    private mutating func word() throws(NetrcFault) -> Word? {
        skipBlanks()
        guard place < bytes.count, !isLineEnd(bytes[place]) else { return nil }
        let isQuoted = bytes[place] == UInt8(ascii: "\"")
        if isQuoted { place += 1 }
        let start = place
        var isEscaped = false
        while place < bytes.count, !isLineEnd(bytes[place]) {
            let byte = bytes[place]
            if isQuoted ? byte == UInt8(ascii: "\"") && !isEscaped : isBlank(byte) { break }
            guard byte >= 0x20 && byte != 0x7f || isBlank(byte) else { throw fault("a control character") }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            place += 1
        }
        let word = Word(bytes: bytes[start..<place], isQuoted: isQuoted, line: line)
        guard isQuoted else { return word }
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw badQuote }
        place += 1
        guard place == bytes.count || isBlank(bytes[place]) || isLineEnd(bytes[place]) else { throw badQuote }
        return word
    }

    private mutating func skipBlanks() {
        while place < bytes.count, isBlank(bytes[place]) { place += 1 }
    }

    /// Goes to the beginning of the next line.
    private mutating func endLine() {
        while place < bytes.count, !isLineEnd(bytes[place]) { place += 1 }
        guard place < bytes.count else { return }
        let isPair = bytes[place] == UInt8(ascii: "\r") && bytes[(place + 1)...].first == UInt8(ascii: "\n")
        place += isPair ? 2 : 1
        line += 1
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }
}
