/// The first message of a client in TLS (RFC 8446, section 4.1.2), as far as it tells for whom it is.
enum ClientHello: Equatable {
    /// The name of the server (RFC 6066, section 3), in small letters; `nil` if the client names none.
    case server(String?)
    /// It is something else, or malformed.
    case malformed

    /// - Parameter bytes: what has come so far.
    /// - Returns: `nil` as long as more has to come.
    init?(_ bytes: ArraySlice<UInt8>) {
        self = .malformed
        // It may come in several records (section 5.1), and what is behind it is no part of it.
        var message: [UInt8] = [], records = Fields(bytes)
        while let kind = records.number(1) {
            guard kind == 22 else { return }
            guard records.number(2) != nil, let size = records.number(2) else { return nil }
            guard (1...16384).contains(size) else { return }
            message += records.rest.prefix(size)
            records.rest = records.rest.dropFirst(size)
            guard let first = message.first else { return nil }
            guard first == 1 else { return }
            var fields = Fields(message[1...])
            guard let length = fields.number(3), fields.rest.count >= length else { continue }
            if let server = Self.server(Fields(fields.rest.prefix(length))) { self = .server(server) }
            return
        }
        return nil
    }

    /// - Returns: the name, if there is one; `nil` for a malformed message.
    private static func server(_ hello: Fields) -> String?? {
        var hello = hello
        // Version and random number; the session, the ciphers, the ways to compress.
        guard hello.number(2) != nil, hello.rest.count >= 32 else { return nil }
        hello.rest = hello.rest.dropFirst(32)
        guard hello.vector(1) != nil, hello.vector(2) != nil, hello.vector(1) != nil else { return nil }
        var name: String?
        if hello.rest.isEmpty { return .some(name) }
        guard var extensions = hello.vector(2), hello.rest.isEmpty else { return nil }
        while !extensions.rest.isEmpty {
            guard let kind = extensions.number(2), let data = extensions.vector(2) else { return nil }
            if kind != 0 { continue }
            guard name == nil, let found = host(data) else { return nil }
            name = found
        }
        return .some(name)
    }

    /// The one name in a list of them.
    private static func host(_ data: Fields) -> String? {
        var data = data
        guard var list = data.vector(2), data.rest.isEmpty, list.number(1) == 0, let name = list.vector(2),
            list.rest.isEmpty
        else { return nil }
        let text = String(decoding: name.rest, as: UTF8.self).lowercased()
        return HostName.isUsable(text) && !text.hasPrefix("[") ? text : nil
    }
}

/// Numbers and vectors one behind the other, as TLS writes them (RFC 8446, section 3).
private struct Fields {
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// - Returns: `nil` without so many bytes.
    mutating func number(_ size: Int) -> Int? {
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
    }

    /// - Parameter size: that of its length.
    mutating func vector(_ size: Int) -> Fields? {
        guard let count = number(size), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Fields(rest.prefix(count))
    }
}
