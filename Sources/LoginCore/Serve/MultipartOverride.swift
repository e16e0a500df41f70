/// Finds a part that is called `_method` in a multipart body (RFC 2046, section 5.1; RFC 7578). A body whose parts two readers could
/// tell apart in two ways is refused.
struct MultipartOverride {
    let boundary: [UInt8]
    /// Whether each part must have a name.
    let isForm: Bool

    private static let lineEnd = Array("\r\n".utf8)

    func methods(in bytes: [UInt8], isWhole: Bool) throws(ServeObjection) -> [String] {
        let delimiter = Array("--".utf8) + boundary
        var methods: [String] = [], part: Int?, isOver = false
        for place in bytes.places(of: delimiter) {
            guard !isOver, place == 0 || bytes[..<place].suffix(2).elementsEqual(Self.lineEnd),
                part != nil || place == 0
            else { throw Self.ambiguous }
            if let start = part { methods += try method(ofPart: bytes[start..<max(start, place - 2)], isWhole: true) }
            let rest = bytes[(place + delimiter.count)...]
            isOver = rest.starts(with: "--".utf8)
            part = place + delimiter.count + 2
            // At the end of what is searched it may be cut.
            if rest.count < 2, !isWhole { return methods }
            if isOver, rest.dropFirst(2).allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { continue }
            guard !isOver, rest.starts(with: Self.lineEnd) else { throw Self.ambiguous }
        }
        guard let start = part, !isOver else {
            // All of it is there, or it has not begun.
            guard part != nil || bytes.isEmpty else { throw Self.ambiguous }
            return methods
        }
        guard !isWhole else { throw Self.ambiguous }
        return methods + (try method(ofPart: bytes[min(start, bytes.count)...], isWhole: false))
    }

    private static let ambiguous = ServeObjection.unreadableBody(.ambiguousParts)

    /// - Parameter isWhole: whether all of the part is there.
    private func method(ofPart part: ArraySlice<UInt8>, isWhole: Bool) throws(ServeObjection) -> [String] {
        let (fields, value) = try fields(of: part, isWhole: isWhole)
        guard let fields else { return [] }
        guard fields.allSatisfy(\.isUsual) else { throw Self.ambiguous }
        let dispositions = fields.filter { $0.name == "content-disposition" }
        guard dispositions.count <= 1, dispositions.count == 1 || !isForm else { throw Self.ambiguous }
        // Rack takes the one for the other.
        var names = fields.filter { $0.name == "content-id" }.map(\.value)
        if let disposition = dispositions.first {
            guard let header = HeaderParameters(disposition.value),
                header.names.isSubset(of: ["name", "filename", "filename*"]),
                // Some look for the word in the whole line.
                ["filename", "filename*"].allSatisfy({ header[$0]?.lowercased().contains("name=") != true })
            else { throw Self.ambiguous }
            let name = header["name"]
            guard name != nil || !isForm, name?.contains("\\") != true, name?.contains("=?") != true else {
                throw Self.ambiguous
            }
            names += [name].compactMap { $0 }
        }
        guard names.contains(where: Self.isOverride) else { return [] }
        guard isWhole, fields.allSatisfy(\.isPlain) else { throw .unreadableOverride }
        return [try FormMember.method(Array(value))]
    }

    private static func isOverride(_ name: String) -> Bool {
        let bytes = Array(name.utf8).filter { !"<>'".utf8.contains($0) }
        return FormMember.members(of: bytes + [UInt8(ascii: "=")]).contains(where: \.isOverride)
            || FormMember.isOverride(bytes)
    }

    private struct Field {
        /// In lower case.
        let name: String
        let value: String

        /// Whether it is one of the fields that parts have, and no reader finds another field or a name in its value: Rack searches the
        /// whole head for them.
        var isUsual: Bool {
            let lower = value.lowercased()
            switch name {
            case "content-disposition": return !lower.contains("content-")
            case "content-type", "content-transfer-encoding", "content-length", "content-id":
                return !lower.contains("content-") && !lower.contains("name=")
            default: return false
            }
        }

        /// Whether the value of a part is as it stands there.
        var isPlain: Bool {
            switch name {
            case "content-transfer-encoding": ["7bit", "8bit", "binary"].contains(value.lowercased())
            case "content-type":
                !value.lowercased().contains("charset") || value.lowercased().hasSuffix("charset=utf-8")
            default: true
            }
        }
    }

    /// - Returns: no fields where the end of what is searched cuts them.
    private func fields(
        of part: ArraySlice<UInt8>, isWhole: Bool
    ) throws(ServeObjection) -> (fields: [Field]?, value: ArraySlice<UInt8>) {
        var fields: [Field] = [], rest = part
        while true {
            guard let end = rest.firstIndex(where: { $0 == 0x0D || $0 == 0x0A }) else {
                // Without a line's end it is no part, or it is cut.
                if isWhole { throw Self.ambiguous }
                return (nil, [])
            }
            let line = rest[..<end], behind = rest[end...]
            if behind.count == 1, !isWhole { return (nil, []) }
            guard behind.starts(with: Self.lineEnd) else { throw Self.ambiguous }
            rest = behind.dropFirst(2)
            if line.isEmpty { return (fields, rest) }
            guard let text = String(validating: line, as: UTF8.self), let colon = text.firstIndex(of: ":"),
                String(text[..<colon]).isHeaderName
            else { throw Self.ambiguous }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append(Field(name: text[..<colon].lowercased(), value: String(value)))
        }
    }
}

extension [UInt8] {
    /// All places of a text, from left to right; none of them begins in another one.
    fileprivate func places(of text: [UInt8]) -> [Int] {
        var places: [Int] = [], place = 0
        while place + text.count <= count {
            if self[place] == text[0], self[place..<place + text.count].elementsEqual(text) {
                places.append(place)
                place += text.count
            } else {
                place += 1
            }
        }
        return places
    }
}
