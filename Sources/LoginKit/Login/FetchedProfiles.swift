import Secrets

/// Profiles from a URL of others, for `profile add --from`.
package struct FetchedProfiles {
    /// As they will be written.
    package let offered: OfferedProfiles
    /// Its SHA-256, in hexadecimal digits.
    package let checksum: String
    private let url: String

    /// The largest text of others, in bytes.
    package static let limit = 64 << 10

    /// Fetches them in one request without credentials.
    /// - Parameter wanted: the checksum that they must have; `nil` if a person looks at them.
    /// - Throws: `untrusted` for plain http, a redirect, more than 64 KiB and another checksum.
    package init(_ context: LoginContext, from url: String, name: String?, checksum wanted: String?) throws(LoginFault)
    {
        let text = try Self.fetch(context, url), checksum = try HashLibrary.digits(.sha256, of: text).unprotectedText
        if let wanted, wanted.lowercased() != checksum {
            throw .untrusted(
                "checksum mismatch: \(SafeText.escaped(url)) has \(checksum); nothing was added",
                next: "look at the file before you take the new checksum")
        }
        var offered = try fromUsage(try OfferedProfiles(text, from: url, name: name))
        offered.origin = "from \(SafeText.line(url)), sha256 \(checksum)"
        (self.offered, self.checksum, self.url) = (offered, checksum, url)
    }

    /// The question to the person. It does not show the text as it came, which can be made to look like another one.
    package var question: String {
        let shown = offered.profiles.map { ConfigValue.table($0.table.members).section(["profiles", $0.name]) }
            .joined(separator: "\n\n")
        return "\(SafeText.lines(shown))\nFrom \(SafeText.line(url)), sha256 \(checksum)"
    }

    private static func fetch(_ context: LoginContext, _ text: String) throws(LoginFault) -> Secret {
        let url = try context.selection.parseBare(text)
        guard url.origin.scheme == "https" || url.origin.isLoopback else { throw .untrusted(.plainHTTP) }
        let request = LoginRequest()
        let profile = try context.selection.bareProfile(url, name: "", request).profile
        let transport = context.dependencies.transport(
            url.origin, try context.connections.transportSettings(profile, for: url.origin))
        let response = try context.connections.send(HTTPRequest(method: "GET", url: url.text), over: transport, request)
        if (300..<400).contains(response.status) {
            let target = response.redirect.map { $0.url.isEmpty ? $0.target : $0.url } ?? ""
            throw .untrusted(
                "\(SafeText.escaped(text)) points to \(SafeText.quoted(target)), which was not followed; nothing was added",
                next: "if the profile is there now, use that URL")
        }
        guard response.status == 200 else {
            let isClosed = response.status == 401 || response.status == 403
            throw .failure(
                "the URL answered with status \(response.status)"
                    + (isClosed ? "; profiles are fetched without a login" : ", and sent no profile"),
                next: isClosed ? "save the file yourself, then: authctl profile add FILE" : "check the URL")
        }
        guard response.body.count <= limit else {
            throw .untrusted(
                "\(SafeText.escaped(text)) has more than \(limit) bytes; nothing was added", next: "check the URL")
        }
        return response.body
    }
}
