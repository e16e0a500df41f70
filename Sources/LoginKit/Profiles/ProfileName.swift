@_spi(_Unicode) import Swift

/// The names that a profile may have: one is a file's name, is shown at a terminal, and stands in commands that a person copies into a
/// shell. So it holds nothing that a shell or a terminal takes for more than a letter, and has one spelling.
package enum ProfileName {
    static let limit = 100
    /// Besides letters and digits: what a host with its port is made of, `[::1]:8765` too, and `user@host`.
    private static let marks: [Unicode.Scalar] = [".", "-", "_", ":", "@", "[", "]"]

    static func check(_ name: String, file: String) throws(UsageFault) {
        if let problem = problem(name) {
            throw .badConfig(file: file, path: "profiles.\(name.debugDescription)", line: nil, problem: problem)
        }
    }

    /// - Returns: `nil` if the name is good.
    package static func problem(_ name: String) -> String? {
        if name.isEmpty { return "a profile's name cannot be empty" }
        if name.utf8.count > limit { return "a profile's name has at most \(limit) bytes" }
        if name.hasPrefix(".") || name.hasPrefix("-") { return "a profile's name cannot start with '.' or '-'" }
        guard name.unicodeScalars.allSatisfy(isAllowed) else {
            return "a profile's name consists of letters, digits and the characters . - _ : @ [ ]"
        }
        // Two spellings of one letter look alike, and Swift holds them equal, but a file system or a store may not.
        guard name._nfc.elementsEqual(name.unicodeScalars) else {
            return "a profile's name must be in Unicode NFC"
        }
        return nil
    }

    /// The letters of every script, with the marks that some are written with, as hosts have them (RFC 5892, section 2.1).
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if marks.contains(scalar) { return true }
        if scalar.properties.isDefaultIgnorableCodePoint { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            return true
        default: return false
        }
    }
}

/// Checks a profile's `url` as far as that can be done without libcurl's parser, which comes later and has the last
/// word.
struct ProfileURL {
    let text: String

    /// - Returns: `nil` if there is none. Never holds the text, which may hold a password.
    var problem: String? {
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            return "must start with https:// or http://"
        }
        let rest = text.dropFirst(scheme.count)
        guard rest.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7f...0x9f).contains($0.value) }) else {
            return "contains a blank or a control character"
        }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        if authority.contains("@") { return "must not contain a user name or password" }
        if rest.contains("?") || rest.contains("#") { return "must have neither a query nor a fragment" }
        let host = authority.last == "]" ? authority : authority.split(separator: ":", maxSplits: 1).first ?? ""
        if host.isEmpty || authority.hasPrefix(":") { return "has no host" }
        return hasPort(authority) ? nil : "has an invalid port"
    }

    private func hasPort(_ authority: Substring) -> Bool {
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return true }
        return UInt16(authority[authority.index(after: colon)...]).map { $0 > 0 } ?? false
    }
}
