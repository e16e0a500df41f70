/// A text of several lines that is pasted.
enum PastedLines {
    /// The longest text that is read, in bytes.
    static let limit = 1 << 20

    /// Whether a text that ends here goes on in the next line.
    static func goesOn(_ text: some Collection<UInt8>) -> Bool {
        let line = text.suffix(3).filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        return line.last == UInt8(ascii: "\\") || line.last == UInt8(ascii: "^")
    }
}
