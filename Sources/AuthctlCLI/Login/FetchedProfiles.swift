import LoginCore
import LoginHTTP
import LoginKit
import LoginWords
import Secrets

/// Profiles that are fetched from a URL, for `profile add --from`: nothing of them is taken that a person has not seen, unless its
/// checksum was named.
struct FetchedProfiles {
    let url: String
    /// SHA-256, in hexadecimal digits.
    let checksum: String?

    /// In bytes.
    static let limit = 64 << 10

    /// - Returns: nothing where the person does not want them.
    /// - Throws: `untrusted` for plain http, a redirect, more than `limit` and another checksum.
    func offered(_ invocation: Invocation, name: String?) throws(LoginError) -> OfferedProfiles? {
        let text = try fetch(invocation)
        let sum = try HashLibrary.digits(.sha256, of: text).unprotectedText
        if let checksum, checksum.lowercased() != sum {
            throw .untrusted(.foreignProfile(url: url, .otherChecksum(found: sum)))
        }
        guard let shown = text.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .usage(.badConfig(file: url, path: nil, line: nil, problem: "is not UTF-8"))
        }
        var offered = try LoginContext.fromConfig { () throws(UsageFault) in
            try OfferedProfiles(shown, from: url, name: name)
        }
        if checksum == nil {
            guard invocation.context.mayAsk else { throw .untrusted(.foreignProfile(url: url, .unseen(found: sum))) }
            let dialogue = invocation.context.world.dialogue(invocation.context.dialogueSettings)
            // As they are written, not as they came: a text can be made to look like another one.
            let tables = Dictionary(
                uniqueKeysWithValues: offered.profiles.map { ($0.name, ConfigValue.table($0.table.members)) })
            let shown = ConfigValue.table(["profiles": .table(tables)]).document(headings: 2)
            let question = "\(SafeText.lines(shown))\nFrom \(SafeText.line(url)), sha256 \(sum)"
            guard try dialogue.confirm(question, typing: "yes") else { return nil }
        }
        offered.origin = "from \(SafeText.line(url)), sha256 \(sum)"
        return offered
    }

    private func fetch(_ invocation: Invocation) throws(LoginError) -> Secret {
        let context = invocation.context, parsed = try context.parse(url)
        context.topic.origin = parsed.origin
        guard parsed.user == nil, parsed.password == nil else {
            throw .usage(
                .badURL(url: parsed.text, problem: "nothing is sent but the URL; leave user name and password out"))
        }
        guard parsed.origin.scheme == "https" || parsed.origin.isLoopback else { throw .untrusted(.plainHTTP) }
        let response = try context.fetch(parsed)
        if (300..<400).contains(response.status) {
            let target = response.redirect.map { $0.url.isEmpty ? $0.target : $0.url } ?? ""
            throw .untrusted(.foreignProfile(url: url, .redirected(target: target)))
        }
        guard response.status == 200 else {
            throw .failure(.unexpectedStatus(response.status, step: "profile add --from", words: nil))
        }
        guard response.body.count <= Self.limit else {
            throw .untrusted(.foreignProfile(url: url, .tooLarge(limit: Self.limit)))
        }
        return response.body
    }
}
