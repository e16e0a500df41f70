extension String {
    /// A token of RFC 9110, section 5.6.2.
    package var isHeaderName: Bool {
        !isEmpty
            && utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }
}
