package import Secrets

/// One cookie of one origin (RFC 6265).
package struct Cookie: Equatable, Sendable {
    /// Upper and lower case make different names.
    package let name: String
    /// The bytes as the server sent them.
    package let value: Secret
    /// The cookie with all its attributes, in the form in which the transport took it and takes it back.
    package let record: Secret
    /// Seconds of Unix time; absent for a cookie that lasts as long as the session.
    package let expires: Int64?

    /// - Parameter record: has to be of the same cookie; name and value are not read out of it here.
    package init(name: String, value: Secret, record: Secret, expires: Int64?) {
        self.name = name
        self.value = value
        self.record = record
        self.expires = expires
    }
}

extension [Cookie] {
    /// The cookie of this name: the first one of several, as a server gets them. `NAME*` stands for every name that begins so; each is
    /// another cookie then.
    func named(_ name: String) -> [Cookie] {
        guard name.hasSuffix("*") else { return first { $0.name == name }.map { [$0] } ?? [] }
        let beginning = name.dropLast()
        var names: Set<String> = []
        return filter { $0.name.hasPrefix(beginning) && names.insert($0.name).inserted }
    }

    /// The value of the only one.
    func only(_ name: String) -> Cookie? {
        let found = named(name)
        return found.count == 1 ? found[0] : nil
    }
}
