import LoginCore
import Secrets

/// The attributes of a request in git's credential protocol, still as bytes.
struct GitCredentialLines {
    /// The values of `capability[]`, in order.
    private(set) var capabilities: [String] = []

    private let input: Secret
    private var values: [String: Secret] = [:]
    /// The names of all attributes so far that may not occur twice.
    private var seen: Set<String> = []

    /// The attributes that say something here; git's others, and those that it does not have yet, are passed over.
    private static let known: Set<String> = [
        "protocol", "host", "username", "password", "url", "credential", "quit",
    ]

    init(_ input: Secret) {
        self.input = input
    }

    func value(_ attribute: String) -> Secret? { values[attribute] }

    func text(_ attribute: String) throws(HelperRequestFault) -> String? {
        guard let value = values[attribute] else { return nil }
        guard let text = value.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .notUTF8(attribute: attribute)
        }
        return text
    }

    mutating func read() throws(HelperRequestFault) {
        let ends = input.withUnsafeBytes { bytes in bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") } }
        var start = 0
        for end in ends + [input.count] {
            // A blank line is the end; what follows it was not asked.
            guard end > start else { return }
            try take(start..<end)
            start = end + 1
        }
    }

    private mutating func take(_ line: Range<Int>) throws(HelperRequestFault) {
        let (name, value): (String, Secret) = try input.withUnsafeBytes { (bytes) throws(HelperRequestFault) in
            let line = bytes[line]
            // A carriage return ends a line for some readers and not for others.
            guard !line.contains(0), !line.contains(UInt8(ascii: "\r")) else { throw .controlCharacter }
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { throw .noEqualsSign }
            let name = String(decoding: line[..<equals], as: UTF8.self)
            return (name, Secret(copying: UnsafeRawBufferPointer(rebasing: line[(equals + 1)...])))
        }
        if name == "capability[]" {
            // An empty value takes back what was said before it.
            if value.isEmpty { capabilities = [] } else { capabilities.append(value.unprotectedText) }
            return
        }
        // Those that are lists for git say so by their names.
        guard name.hasSuffix("[]") || seen.insert(name).inserted else { throw .repeated(attribute: name) }
        if Self.known.contains(name) { values[name] = value }
    }
}
