import Testing

@testable import LoginKit

/// A URL as a QR code.
struct QRPictureTests {
    private let code = QRCode(modules: [[true, false], [false, true], [true, true]].map { $0 + [false] })

    @Test func `rows are drawn two by two, with a quiet zone of four`() throws {
        let picture = try #require(QRPicture(code, isUnicode: true, hasColors: false))
        #expect(picture.width == 11)
        #expect(
            picture.lines == [
                "           ", "           ", "    ▀▄     ", "    ▀▀     ", "           ", "           ",
            ])
    }

    @Test func `ASCII has two blanks for each module, with black or white behind them`() throws {
        let picture = try #require(QRPicture(code, isUnicode: false, hasColors: true))
        let white = "\u{1B}[107m", black = "\u{1B}[40m", end = "\u{1B}[0m"
        #expect(picture.width == 22)
        #expect(picture.lines.count == 11)
        #expect(picture.lines[0] == white + String(repeating: " ", count: 22) + end)
        #expect(picture.lines[4] == "\(white)        \(black)  \(white)            \(end)")
        #expect(picture.lines[6] == "\(white)        \(black)    \(white)          \(end)")
    }

    @Test func `a terminal with neither UTF-8 nor colours has no picture that a camera could read`() {
        #expect(QRPicture(code, isUnicode: false, hasColors: false) == nil)
    }

    @Test func `colours make it dark on white, whatever the terminal's are`() throws {
        let lines = try #require(QRPicture(code, isUnicode: true, hasColors: true)).lines
        #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[30;107m") && $0.hasSuffix("\u{1B}[0m") })
    }

    @Test func `a missing library says which`() {
        do throws(QRCode.Problem) {
            _ = try QRCode("x", library: "libnowhere.so.1")
            // Another test may have opened the real one.
        } catch {
            guard case .libraryMissing(let problem) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(problem.contains("libnowhere.so.1"))
        }
    }

    @Test func `a URL becomes a symbol with its three finders, and one that is too long none`() throws {
        let modules = try QRCode("https://id.example/device?code=FZX5-ASHU").modules
        #expect(modules.count == 29)
        let finder = (0..<7).map { row in
            (0..<7).map { column in
                [0, 6].contains(row) || [0, 6].contains(column) || (2...4).contains(row) && (2...4).contains(column)
            }
        }
        for (top, left) in [(0, 0), (0, 22), (22, 0)] {
            #expect(finder == modules[top..<top + 7].map { Array($0[left..<left + 7]) })
        }
        #expect(throws: QRCode.Problem.tooLong) { try QRCode(String(repeating: "x", count: 4000)) }
    }
}
