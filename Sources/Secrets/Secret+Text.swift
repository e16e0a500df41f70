extension Secret {
    /// Without the byte order mark that editors and PowerShell write before UTF-8; only the first is one.
    package var withoutByteOrderMark: Secret {
        withUnsafeBytes { bytes in
            guard bytes.starts(with: [0xef, 0xbb, 0xbf]) else { return self }
            return Secret(copying: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(3)))
        }
    }
}
