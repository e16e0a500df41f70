import LoginKit

// The one or two words of `request` that are no options.
extension RequestCommand {
    /// The methods that are completed, and that win over a profile of the same name.
    static let usualMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    var method: String { second == nil ? "GET" : first ?? "" }
    var url: String { second ?? first ?? "" }

    /// - Throws: `usage` for a first word that is no method, such as the name of a profile, which other commands take there. It may
    ///   be anything, and is repeated only where it is one of the names that are known.
    /// - Parameter isKnown: whether there is a profile of this name.
    func checkWords(isKnown: (String) -> Bool) throws(LoginFault) {
        let first = first ?? ""
        let isProfile = !Self.usualMethods.contains(first) && isKnown(first)
        guard isProfile || second != nil && !isMethod(first) else { return }
        let problem =
            if isProfile {
                "\(SafeText.quoted(first)) is a profile; here it is named with -P: "
                    + "\(ShellCommand("authctl", "request", "-P", first, "URL"))"
            } else if Self.usualMethods.contains(first.uppercased()) {
                "a method is written in capitals: \(first.uppercased())"
            } else if let second, isMethod(second) {
                "the method stands before the URL: authctl request \(second) URL"
            } else {
                "the first of two arguments is the method, in capitals, such as POST; a profile is named with -P"
            }
        throw .usage(problem)
    }

    /// A token (RFC 9110, section 5.6.2) without small letters, as all methods are that are registered.
    private func isMethod(_ word: String) -> Bool {
        !word.isEmpty
            && word.utf8.allSatisfy { byte in
                UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
