import LoginCore

/// The checks that come before libcurl's, and the faults, which must not repeat a password.
struct URLFault {
    let text: String

    func bad(_ problem: String) -> UsageFault { .badURL(url: shown, problem: problem) }

    /// libcurl would let blanks pass in some places, and C1 controls in all.
    func checkCharacters() throws(UsageFault) {
        guard text.utf8.count <= 8192 else { throw .badURL(url: "\(shown.prefix(60))…", problem: "it is too long") }
        let clean = text.unicodeScalars.allSatisfy { $0.value > 0x20 && !(0x7f...0x9f).contains($0.value) }
        guard clean else { throw bad("it contains a blank or a control character") }
        // A browser reads it as a slash: behind a host, and before an `@`, it would name another server to a person.
        guard !text.prefix(while: { $0 != "?" && $0 != "#" }).contains("\\") else {
            throw bad("it contains a backslash (%5C in a path)")
        }
    }

    /// libcurl would take `https:/host` and `https:///host` for `https://host`.
    func checkScheme() throws(UsageFault) {
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let rest = text.dropFirst(scheme.count)
        guard let first = scheme.first ?? rest.first, first != "/" else { throw bad("there is no host") }
        if rest.hasPrefix("://") {
            guard let next = rest.dropFirst(3).first, !"/\\?#".contains(next) else { throw bad("there is no host") }
        } else if rest.hasPrefix(":"), ["http", "https"].contains(scheme.lowercased()) {
            throw bad("the scheme must be followed by two slashes")
        } else {
            throw .missingScheme(host: shown)
        }
    }

    private var shown: String { SuppliedURL(text).withoutUserInformation }
}
