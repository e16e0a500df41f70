/// The stores that a user can name, with `--store`, `AUTHCTL_STORE` or `store =`.
package enum StoreName: Hashable, Sendable {
    /// The keyring of the desktop.
    case secretService
    /// The encrypted file.
    case file
    /// The kernel's keyring.
    case keyring
    /// A file that protects nothing.
    case plaintext
    /// The part after `docker-credential-` in the name of a credential helper.
    case helper(String)
    /// Keeps nothing.
    case none

    /// Every store but the helpers, of which there are as many as programs in `PATH`; in the order in which they are shown.
    package static let builtIn: [StoreName] = [.secretService, .file, .keyring, .plaintext, .none]

    /// - Returns: `nil` if no store has this name or may have it; `auto` is a choice, not a store.
    package init?(_ text: String) {
        if let store = Self.builtIn.first(where: { $0.description.isSame(as: text) }) {
            self = store
        } else {
            let helper = String(text.dropFirst("helper:".count))
            guard text.hasPrefix("helper:"), Self.isHelper(helper) else { return nil }
            self = .helper(helper)
        }
    }
}

extension StoreName: CustomStringConvertible {
    package var description: String {
        switch self {
        case .secretService: "secret-service"
        case .file: "file"
        case .keyring: "keyring"
        case .plaintext: "plaintext"
        case .helper(let name): "helper:\(name)"
        case .none: "none"
        }
    }
}

extension StoreName: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let name = StoreName(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no store: \(text)"))
        }
        self = name
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The lifetime of a stored login.
package enum Persistence: String, Sendable, Codable, CaseIterable {
    case none, session, permanent
}
