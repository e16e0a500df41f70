extension Secret {
    /// Whether there is no control character in it, as a user name and a password of RFC 7617, section 2 have to be.
    package var isFreeOfControls: Bool {
        withUnsafeBytes { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
    }

    /// Whether there is none but tabs, so that it cannot end a header's line (RFC 9110, section 5.5).
    package var isHeaderSafe: Bool {
        withUnsafeBytes { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") } }
    }
}
