import CQREncode

/// A text as a QR code (ISO/IEC 18004), by libqrencode.
struct QRCode: Equatable, Sendable {
    /// The reason that there is no code.
    package enum Problem: Error, Equatable {
        /// With the loader's own words.
        case libraryMissing(String)
        /// No symbol is large enough.
        case tooLong
    }

    /// Debian's package libqrencode4.
    static let library = "libqrencode.so.4"

    /// Row by row from the upper left, without the quiet zone: whether a module is dark.
    let modules: [[Bool]]

    /// Opens the library with the first code.
    init(_ text: String, library: String = Self.library) throws(Problem) {
        if let problem = cqrencode_open(library) { throw .libraryMissing(String(cString: problem)) }
        guard let symbol = cqrencode_encode(text) else { throw .tooLong }
        defer { cqrencode_free(symbol) }
        let places = 0..<cqrencode_width(symbol)
        modules = places.map { row in places.map { cqrencode_is_dark(symbol, row, $0) != 0 } }
    }

    /// For tests of what is drawn.
    init(modules: [[Bool]]) {
        self.modules = modules
    }
}
