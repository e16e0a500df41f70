/// The stores that a user can name, with `--store`, `AUTHCTL_STORE` or `store =`.
public enum StoreName: Hashable, Sendable {
    case secretService
    case file
    case keyring
    case plaintext
    case helper(String)
    case none

    /// - Returns: nothing if no store has this name or may have it; `auto` is a choice, not a store.
    public init?(_ text: String) {
        switch text {
        case "secret-service": self = .secretService
        case "file": self = .file
        case "keyring": self = .keyring
        case "plaintext": self = .plaintext
        case "none": self = .none
        default:
            let helper = String(text.dropFirst("helper:".count))
            guard text.hasPrefix("helper:"), Self.isHelper(helper) else { return nil }
            self = .helper(helper)
        }
    }
}

extension StoreName: CustomStringConvertible {
    public var description: String {
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
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let name = StoreName(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no store: \(text)"))
        }
        self = name
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// How long a login is kept.
public enum Persistence: String, Sendable, Codable, CaseIterable {
    case none, session, permanent
}
