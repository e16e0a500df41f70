extension Secret {
    /// Without the byte order mark that editors and PowerShell write before UTF-8; only the first is one.
    package var withoutByteOrderMark: Secret {
        withUnsafeBytes { bytes in
            let text = bytes.withoutByteOrderMark
            return text.count == bytes.count ? self : Secret(copying: text)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Without the byte order mark of UTF-8; only the first is one.
    package var withoutByteOrderMark: UnsafeRawBufferPointer {
        let hasMark = starts(with: [0xef, 0xbb, 0xbf])
        return hasMark ? UnsafeRawBufferPointer(rebasing: dropFirst(3)) : self
    }
}
