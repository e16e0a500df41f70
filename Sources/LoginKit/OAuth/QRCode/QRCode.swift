import CQREncode

/// A text as a QR code (ISO/IEC 18004), by libqrencode.
struct QRCode: Equatable, Sendable {
    /// The reason that there is no code.
    enum Problem: Error, Equatable {
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

/// A QR code in the characters of a terminal, dark on white, with the quiet zone around it.
struct QRPicture {
    private let code: QRCode
    private let isUnicode: Bool
    private let hasColors: Bool

    /// Modules that are light on each side (ISO/IEC 18004, section 6.3.8).
    private static let quietZone = 4

    /// - Parameters:
    ///   - isUnicode: half blocks, two rows in each line; else two blanks for each module, with its colour behind them.
    ///   - hasColors: black on white, whatever the terminal's colours are.
    /// - Returns: `nil` if a terminal has neither.
    init?(_ code: QRCode, isUnicode: Bool, hasColors: Bool) {
        guard isUnicode || hasColors else { return nil }
        self.code = code
        self.isUnicode = isUnicode
        self.hasColors = hasColors
    }

    /// In columns.
    var width: Int { side * (isUnicode ? 1 : 2) }

    /// From top to bottom.
    var lines: [String] {
        let step = isUnicode ? 2 : 1
        return stride(from: 0, to: side, by: step).map { row in
            guard isUnicode else { return blanks(row) }
            let text = (0..<side).map { halves(row, $0) }.joined()
            return hasColors ? "\u{1B}[30;107m\(text)\u{1B}[0m" : text
        }
    }

    private var side: Int { code.modules.count + 2 * Self.quietZone }

    /// White by SGR 107, black by 40; an escape sequence only where the colour changes.
    private func blanks(_ row: Int) -> String {
        var text = "", wasDark: Bool?
        for column in 0..<side {
            let isDark = isDark(row, column)
            if isDark != wasDark { text += isDark ? "\u{1B}[40m" : "\u{1B}[107m" }
            text += "  "
            wasDark = isDark
        }
        return text + "\u{1B}[0m"
    }

    private func halves(_ row: Int, _ column: Int) -> String {
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
    }

    /// Whether a module is dark; outside of the symbol all are light.
    private func isDark(_ row: Int, _ column: Int) -> Bool {
        let inside = code.modules.indices
        let place = (row: row - Self.quietZone, column: column - Self.quietZone)
        return inside.contains(place.row) && inside.contains(place.column) && code.modules[place.row][place.column]
    }
}
