extension ParsedResponse {
    /// The place where the response repeats a user name.
    /// - Parameter anonymous: a response without the login, which must have nothing there: any text would be a name by the rule; `nil` if
    ///   it is of another kind.
    /// - Returns: `nil` if no place is clear.
    package func place(of name: String, missingIn anonymous: ParsedResponse?) -> Place? {
        guard name.utf8.count >= 2, name.utf8.allSatisfy({ !"<>&\"'*".utf8.contains($0) }) else { return nil }
        let isFit = { (place: Place) in
            self.text(at: place) == name && anonymous?.name(at: place) == nil
        }
        if let found = json.flatMap({ $0.pointer(to: name).map(Place.json) }) { return isFit(found) ? found : nil }
        return text(at: .text).flatMap { $0.place(of: name, where: isFit) }
    }
}

extension JSONValue {
    /// The first member, breadth first, whose text is `name`.
    fileprivate func pointer(to name: String) -> JSONPointer? {
        var level: [(steps: [String], value: JSONValue)] = [([], self)]
        for _ in 0..<4 {
            var next: [(steps: [String], value: JSONValue)] = []
            for (steps, value) in level {
                if !steps.isEmpty, value.text == name { return JSONPointer(steps: steps) }
                guard case .object(let members) = value else { continue }
                next += members.sorted { $0.key < $1.key }.map { (steps + [$0.key], $0.value) }
            }
            level = next
        }
        return nil
    }
}

extension String {
    /// The most bytes on either side of a name that tell its place.
    private static let widest = 120
    private static let mostPlaces = 20

    /// The text between two others of an HTML page: the tags before it, and what follows up to the next tag.
    fileprivate func place(of name: String, where isFit: (Place) -> Bool) -> Place? {
        let bytes = Array(utf8), wanted = Array(name.utf8)
        var start = 0
        for _ in 0..<Self.mostPlaces {
            guard let found = bytes[start...].firstRange(of: wanted) else { return nil }
            if let place = Self.place(at: found, in: bytes), isFit(place) { return place }
            start = found.upperBound
        }
        return nil
    }

    private static func place(at name: Range<Int>, in bytes: [UInt8]) -> Place? {
        let isWord = { (byte: UInt8) in
            byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || (byte | 0x20).isLetter
        }
        guard name.lowerBound > 0, name.upperBound < bytes.count, !isWord(bytes[name.lowerBound - 1]),
            !isWord(bytes[name.upperBound])
        else { return nil }
        let rest = bytes[name.upperBound...].prefix(widest)
        guard let tag = rest.firstIndex(of: UInt8(ascii: "<")) else { return nil }
        let after = bytes[name.upperBound...tag]
        var before = name.lowerBound
        let least = Swift.max(0, name.lowerBound - widest)
        while let open = bytes[least..<before].lastIndex(of: UInt8(ascii: "<")) {
            before = open
            let text = bytes[open..<name.lowerBound]
            // Inside a tag it would be an attribute.
            guard text.contains(UInt8(ascii: ">")) else { return nil }
            guard text.isSteady, after.isSteady else { return nil }
            if bytes.firstRange(of: Array(text))?.lowerBound == open {
                return .between(
                    .text, before: String(decoding: text, as: UTF8.self), after: String(decoding: after, as: UTF8.self))
            }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
}

extension ArraySlice<UInt8> {
    /// Whether it will be the same the next time: no script, no star, which separates the two texts, no long number as nonces are.
    var isSteady: Bool {
        var digits = 0
        for byte in self {
            let isDigit =
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
            digits = isDigit ? digits + 1 : 0
            if digits >= 8 || byte == UInt8(ascii: "*") { return false }
        }
        return !starts(with: "<script".utf8) && String(validating: self, as: UTF8.self) != nil
    }
}
