import LoginCore

/// A JSON text with one member or element a line, indented by two blanks. Strings and numbers keep their bytes, and members
/// their order.
enum JSONLayout {
    /// - Returns: `nil` for what is not a JSON object or array, or is too deep.
    static func text(_ body: [UInt8]) -> [UInt8]? {
        let isJSON = body.withUnsafeBytes { bytes in
            do throws(JSONFault) {
                _ = try JSONReader.read(bytes, mostValues: bytes.count)
                return true
            } catch {
                return false
            }
        }
        return isJSON ? laidOut(body) : nil
    }

    /// Goes by the bytes alone: `JSONReader` has found that they are JSON.
    private static func laidOut(_ body: [UInt8]) -> [UInt8] {
        var text: [UInt8] = [], depth = 0, place = 0
        func next() -> UInt8? {
            while place < body.count, isBlank(body[place]) { place += 1 }
            return place < body.count ? body[place] : nil
        }
        while let byte = next() {
            place += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                text.append(byte)
                // What is empty stays on one line.
                if next() == byte + 2 { continue }
                depth += 1
                text += line(depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if text.last != byte - 2 {
                    depth -= 1
                    text += line(depth)
                }
                text.append(byte)
            case UInt8(ascii: ","): text += [byte] + line(depth)
            case UInt8(ascii: ":"): text += [byte, UInt8(ascii: " ")]
            case UInt8(ascii: "\""):
                let end = end(ofString: body, from: place)
                text += body[place - 1..<end]
                place = end
            default: text.append(byte)
            }
        }
        return text + [UInt8(ascii: "\n")]
    }

    private static func end(ofString body: [UInt8], from start: Int) -> Int {
        var place = start
        while place < body.count, body[place] != UInt8(ascii: "\"") {
            place += body[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return place + 1
    }

    private static func line(_ depth: Int) -> [UInt8] {
        [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: 2 * depth)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
