import FoundationEssentials
package import Secrets

/// The replies of docker's credential helpers for failures, in their own words: clients compare them.
///
/// See <https://github.com/docker/docker-credential-helpers>, `credentials/error.go`.
package enum DockerReply: String, Equatable, Sendable {
    case notFound = "credentials not found in native keychain"
    case noURL = "no credentials server URL"
    case noUsername = "no credentials username"
}

/// One entry as the helpers and their clients exchange it. The secret is a `String`, since JSON is made of those.
package struct DockerCredentials: Codable {
    /// docker's manual has `get` print it without.
    package let url: String?
    /// Empty where a request of a client left it out.
    package let username: String
    /// The password or token.
    package let secret: String

    private enum CodingKeys: String, CodingKey {
        case url = "ServerURL"
        case username = "Username"
        case secret = "Secret"
    }

    /// The texts as they are; what of them may not be empty is for the command to say.
    package init(url: String, username: String, secret: String) {
        self.url = url
        self.username = username
        self.secret = secret
    }

    /// As docker-credential-pass answered before 0.8 where it had nothing.
    var isNothing: Bool { username.isEmpty && secret.isEmpty }

    /// - Returns: `nil` for anything but one object with these members; it may have others.
    static func decode(_ text: Secret) -> DockerCredentials? {
        SecretJSON.decode(DockerCredentials.self, from: text)
    }

    /// Reads what a client sends to be stored; a missing member is empty, as for docker's own helpers.
    /// - Returns: `nil` for anything but one object whose members of these names are texts; others are ignored.
    package static func request(_ text: Secret) -> DockerCredentials? {
        SecretJSON.decode(Request.self, from: text)?.credentials
    }

    private struct Request: Decodable {
        let credentials: DockerCredentials

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            let member = { (key: CodingKeys) in try members.decodeIfPresent(String.self, forKey: key) ?? "" }
            credentials = DockerCredentials(
                url: try member(.url), username: try member(.username), secret: try member(.secret))
        }
    }

    /// - Returns: `nil` if it cannot be written.
    package func encoded() -> Secret? {
        do throws(SecretJSON.EncodingError) {
            return try SecretJSON.encode(self, formatting: [.sortedKeys, .withoutEscapingSlashes])
        } catch {
            return nil
        }
    }
}
