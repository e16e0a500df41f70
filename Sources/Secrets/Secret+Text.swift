extension Secret {
    /// Whether the bytes are well-formed UTF-8 (RFC 3629).
    package var isUTF8: Bool {
        withUnsafeBytes { bytes in
            var decoder = UTF8()
            var iterator = bytes.makeIterator()
            while true {
                switch decoder.decode(&iterator) {
                case .scalarValue: continue
                case .emptyInput: return true
                case .error: return false
                }
            }
        }
    }

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
