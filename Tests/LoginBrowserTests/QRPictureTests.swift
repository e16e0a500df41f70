import Testing

@testable import LoginBrowser

/// A URL as a QR code.
struct QRPictureTests {
    private let code = QRCode(modules: [[true, false], [false, true], [true, true]].map { $0 + [false] })

    @Test func `rows are drawn two by two, with a quiet zone of four`() {
        let picture = QRPicture(code, isUnicode: true, hasColors: false)
        #expect(picture.width == 11)
        #expect(
            picture.lines == [
                "           ", "           ", "    ▀▄     ", "    ▀▀     ", "           ", "           ",
            ])
    }

    @Test func `ASCII has two marks for each module`() {
        let picture = QRPicture(code, isUnicode: false, hasColors: false)
        #expect(picture.width == 22)
        #expect(picture.lines.count == 11)
        #expect(picture.lines[4] == "        ##            ")
        #expect(picture.lines[6] == "        ####          ")
    }

    @Test func `colours make it dark on white, whatever the terminal's are`() {
        let lines = QRPicture(code, isUnicode: true, hasColors: true).lines
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
