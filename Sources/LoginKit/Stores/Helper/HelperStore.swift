import CSodium
import Glibc
import Secrets

/// Keeps secrets with one of docker's credential helpers, `docker-credential-NAME`.
///
/// The helper is run once for each step, by its absolute path and without a shell; what is secret goes over its standard
/// input. See <https://docs.docker.com/reference/cli/docker/login/#credential-helper-protocol>.
struct HelperStore: CredentialStore {
    /// The rest of the program's name after `docker-credential-`.
    let helper: String
    /// The helper's; its `PATH` is where the helper is looked for.
    let environment: ProgramEnvironment
    /// The time limit of each step, in seconds: the helper may ask a person for the passphrase of a key.
    var patience = 60

    var name: StoreName { .helper(helper) }

    func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        let entry = HelperEntry(account)
        let answer = try run("get", Secret(entry.url + "\n"))
        guard answer.status == 0 else {
            if says(.notFound, answer) { return nil }
            throw fault("get", answer)
        }
        guard let found = SecretJSON.decode(DockerCredentials.self, from: answer.output) else {
            throw .helper(name, notUnderstood: "get")
        }
        if found.isNothing { return nil }
        guard found.url ?? entry.url == entry.url, found.username == entry.username else {
            throw .helper(
                name, "\(name.shownProgram) returned another entry than the one it was asked for",
                next: "\(.otherStores)")
        }
        guard let secret = HelperSecret.decode(found.secret) else {
            throw .helper(
                name, "the entry for this account in \(name.shownProgram) was not written by authctl",
                next: "log in again to replace it: \(.login("--force"))")
        }
        return secret
    }

    /// The expiry is not told: the helpers know none.
    func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
        guard secret.count <= HelperSecret.largest else { throw .tooLarge(name, limit: HelperSecret.largest) }
        let answer = try run("store", HelperSecret.request(secret, for: HelperEntry(account)))
        guard answer.status == 0 else { throw fault("store", answer, repeating: secret) }
        // Some say that they have stored what they have not.
        guard try find(account) == secret else {
            throw .unavailable(name, problem: "what was written cannot be read back")
        }
    }

    @discardableResult
    func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        // Not every helper says whether there was anything to erase.
        guard try contains(account) else { return false }
        let answer = try run("erase", Secret(HelperEntry(account).url + "\n"))
        if answer.status == 0 { return true }
        // Another process was faster.
        if says(.notFound, answer) { return false }
        guard try contains(account) else { return false }
        throw fault("erase", answer)
    }

    /// By `list`, which decrypts nothing. Where that does not work, be it that the helper has none or that it stumbles over
    /// somebody else's entry, the secret is read.
    func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        let answer = try run("list", Secret("unused\n"))
        guard answer.status == 0, let urls = HelperResponse.urls(answer.output) else {
            return try find(account) != nil
        }
        // docker-credential-secretservice 0.6 lists each with whatever lay behind it in memory. No URL of ours begins
        // another one, since all end with a digest.
        let url = HelperEntry(account).url.utf8
        return urls.contains { $0.utf8.starts(with: url) }
    }

    private func run(_ method: String, _ input: Secret) throws(StoreFault) -> HelperProgram.Response {
        try HelperProgram(store: name, environment: environment, patience: patience).run(method, input)
    }
}

// What a helper says when it fails.
extension HelperStore {
    /// The helpers of docker print their errors on standard output; three of them are the protocol's.
    private func says(_ reply: DockerReply, _ answer: HelperProgram.Response) -> Bool {
        HelperResponse.trimmed(answer.output) == reply.rawValue
    }

    private func fault(_ method: String, _ answer: HelperProgram.Response, repeating secret: Secret? = nil)
        -> StoreFault
    {
        let command = "'\(name.shownProgram) \(method)'"
        for (reply, what) in [(DockerReply.noURL, "server URL"), (.noUsername, "user name")] where says(reply, answer) {
            return .helper(name, "\(command) ignored the \(what)", next: "\(.otherStores)")
        }
        return .helper(name, "\(command) failed \(words(answer, secret))", next: name.wayToTest)
    }

    /// The end of the sentence about a helper that failed. What it says may repeat what is secret.
    private func words(_ answer: HelperProgram.Response, _ secret: Secret?) -> String {
        let output = HelperResponse.trimmed(answer.output), status = "(status \(answer.status))"
        let words = output.isEmpty ? HelperResponse.trimmed(answer.errors) : output
        if words.isEmpty { return "without a message \(status)" }
        var secrets = RepeatedSecrets()
        secrets.add([secret])
        // Whatever has been stored bears the mark, and the answer to `get` names its secret.
        let mayRepeat = words.contains(HelperSecret.mark) || words.contains("\"Secret\"") || secrets.stand(in: words)
        return mayRepeat
            ? "\(status); its output is not shown, since it contains a secret" : "\(status): \(SafeText.quoted(words))"
    }
}

/// Under which server URL and user name a helper keeps one account.
///
/// Helpers ask for the URL alone, make names of files of both, and compare letters as they like. So both are short, of plain
/// letters, and end with a digest of the whole account: that is what tells accounts apart, and what stands before it is
/// for people. The host is one that nobody has, since docker offers the entries of its helper to hosts of the same name.
struct HelperEntry {
    let url: String
    let username: String

    init(_ account: AccountID) {
        let digest = Self.digest(account)
        let origin = account.origin
        let profile = Self.plain(account.profile, limit: 30)
        let person = Self.plain(account.username, limit: 30)
        let place = Self.plain(origin.host, limit: 46) + ":\(origin.port)"
        url = "https://authctl.invalid/\(profile)/\(place)/\(person)/\(digest)"
        username = "authctl-\(profile)-\(person)-\(digest)"
    }

    /// BLAKE2b of 160 bits in hexadecimal, over the parts with their lengths, so that no two accounts give the same bytes.
    private static func digest(_ account: AccountID) -> String {
        let origin = account.origin
        var bytes: [UInt8] = []
        for part in [account.profile, origin.scheme, origin.host, String(origin.port), account.username] {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { bytes += $0 }
            bytes += part.utf8
        }
        var digest = [UInt8](repeating: 0, count: 20)
        precondition(csodium_open() == nil, "libsodium could not be set up")
        csodium_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
        return Hexadecimal.text(digest)
    }

    /// Replaces what does not fit a path or a file's name by an underscore.
    private static func plain(_ text: String, limit: Int) -> String {
        let shown = text.unicodeScalars.prefix(limit).enumerated().map { place, scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "@": Character(scalar)
            case "." where place > 0: "."
            default: "_"
            }
        }
        return shown.isEmpty ? "_" : String(shown)
    }
}

/// A login as the text that a helper keeps: a mark, by which it is known in what a helper says, and base64.
enum HelperSecret {
    /// In bytes. Helpers that are written with docker's own library read lines of less than 64 KiB.
    static let largest = 45 * 1024
    static let mark = "authctl-login:"

    /// The input of `store`: one line of JSON. None of the texts has a character that JSON would escape.
    static func request(_ secret: Secret, for entry: HelperEntry) -> Secret {
        let start = "{\"ServerURL\":\"\(entry.url)\",\"Username\":\"\(entry.username)\",\"Secret\":\"\(mark)"
        let line = Secret(joining: [Secret(start), secret.base64, Secret("\"}\n")])
        precondition(line.count <= 64 * 1024, "a login that was not measured")
        return line
    }

    /// - Returns: `nil` if authctl did not write it.
    static func decode(_ text: String) -> Secret? {
        guard text.hasPrefix(mark) else { return nil }
        return Base64.decode(String(text.dropFirst(mark.count)))
    }
}
