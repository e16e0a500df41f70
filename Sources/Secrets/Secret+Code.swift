extension Secret {
    /// A one-time code as it is sent: where it has digits alone, the blanks that apps show in and around them are left out.
    package var asOneTimeCode: Secret {
        withUnsafeBytes { bytes in
            guard let text = String(validating: bytes, as: UTF8.self)?.unicodeScalars else { return self }
            let digits = text.filter { !$0.properties.isWhitespace }
            guard digits.count < text.count, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return self }
            return Secret(String(String.UnicodeScalarView(digits)))
        }
    }
}
