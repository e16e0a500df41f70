extension StringProtocol {
    /// A path as most servers look it up, to tell whether two lead to the same page: without the parameters of its segments
    /// (`;jsessionid=…`), percent-encoding, a slash at the end and case.
    var lookedUpPath: String {
        let segments = split(separator: "/", omittingEmptySubsequences: false).map { $0.prefix { $0 != ";" } }
        let path = segments.joined(separator: "/").utf8
        var bytes = Hexadecimal.percentDecoded(path, isStrict: false) ?? Array(path)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// Whether it is the path of a login page or lies below it, where the notices of a failed login are.
    func isLogin(of page: String) -> Bool {
        let (path, page) = (lookedUpPath, page.lookedUpPath)
        return path == page || page != "/" && path.hasPrefix(page + "/")
    }
}
