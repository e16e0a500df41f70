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
