/// An address as a browser reads it before it is resolved (WHATWG URL, section 4.4): blanks and controls around it and line
/// ends in it are dropped, and a backslash is a slash.
enum HTMLAddress {
    static func cleaned(_ text: String) -> String {
        var cleaned = String.UnicodeScalarView()
        var isQuery = false
        for scalar in trimmed(text).unicodeScalars where scalar != "\t" && scalar != "\n" && scalar != "\r" {
            isQuery = isQuery || scalar == "?" || scalar == "#"
            cleaned.append(scalar == "\\" && !isQuery ? "/" : scalar)
        }
        return String(cleaned)
    }

    static func trimmed(_ text: String) -> String {
        let isOutside = { (scalar: Unicode.Scalar) in scalar.value <= 0x20 }
        var scalars = text.unicodeScalars.drop(while: isOutside)
        while let last = scalars.last, isOutside(last) { scalars.removeLast() }
        return String(scalars)
    }
}
