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
    /// An engine that other machines reach, too: the part after `authctl-store-` in the name of its program.
    case shared(String)
    /// Keeps nothing.
    case none

    /// The shared store whose engine authctl reaches by itself, without a program.
    package static let etcd = StoreName.shared("etcd")

    /// Whether other machines reach it, too.
    package var isShared: Bool { if case .shared = self { true } else { false } }

    /// Whether it protects nothing: every program of the user can read it.
    package var isPlain: Bool {
        switch self {
        case .plaintext: true
        case .secretService, .file, .keyring, .helper, .shared, .none: false
        }
    }

    /// The program behind a store that has one.
    package var program: String? {
        switch self {
        case .helper(let name): "docker-credential-\(name)"
        case .shared(let name): "authctl-store-\(name)"
        case .secretService, .file, .keyring, .plaintext, .none: nil
        }
    }

    /// Every store but those with a program, of which there are as many as programs in `PATH`; in the order in which they are shown.
    package static let builtIn: [StoreName] = [.secretService, .file, .keyring, .plaintext, .none]

    /// - Returns: `nil` if no store has this name or may have it; `auto` is a choice, not a store.
    package init?(_ text: String) {
        if let store = Self.builtIn.first(where: { $0.description.isSame(as: text) }) {
            self = store
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, Self.isHelper(parts[1]) else { return nil }
            switch parts[0] {
            case "helper": self = .helper(parts[1])
            case "shared": self = .shared(parts[1])
            default: return nil
            }
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
        case .shared(let name): "shared:\(name)"
        case .none: "none"
        }
    }
}

extension StoreName: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let name = StoreName(text) else { throw DecodingError.unknownValue }
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
