/// Answers queries for names in a network of a command's own, where every name is the same host (RFC 1035, section 4).
enum NameAnswer {
    /// The codes of section 4.1.1.
    private enum Code: UInt8 {
        case none = 0
        case malformed = 1
        case notImplemented = 4
    }

    private static let (isAnswer, isAuthoritative, isRecursive): (UInt8, UInt8, UInt8) = (0x80, 0x04, 0x80)

    /// - Parameter address: the IPv4 address of every name; there is no record of another kind.
    /// - Returns: `nil` for what is no query.
    static func bytes(to query: [UInt8], address: [UInt8]) -> [UInt8]? {
        guard query.count >= 12, query[2] & isAnswer == 0 else { return nil }
        let operation = query[2] >> 3 & 0xF
        guard operation == 0 else { return head(of: query, .notImplemented) }
        guard query[4...5].elementsEqual([0, 1]), let end = question(in: query) else {
            return head(of: query, .malformed)
        }
        // A and IN, or any.
        let (kind, space) = (query[end - 4..<end - 2], query[end - 2..<end])
        let hasAddress = [kind, space].allSatisfy { $0.elementsEqual([0, 1]) || $0.elementsEqual([0, 255]) }
        var answer = head(of: query, .none, questions: 1, answers: hasAddress ? 1 : 0) + query[12..<end]
        // The name as at byte 12, A, IN, a minute.
        if hasAddress { answer += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4] + address }
        return answer
    }

    private static func head(of query: [UInt8], _ code: Code, questions: UInt8 = 0, answers: UInt8 = 0) -> [UInt8] {
        // The number of the query, what it wants done, and whether recursively.
        query[0...1] + [isAnswer | isAuthoritative | query[2] & 0x79, isRecursive | code.rawValue]
            + [0, questions, 0, answers, 0, 0, 0, 0]
    }

    /// - Returns: the end of the first question, if it is whole.
    private static func question(in query: [UInt8]) -> Int? {
        var place = 12
        // At most 255 bytes of labels (section 2.3.4), none of which leads elsewhere.
        while place < min(query.count, 12 + 255) {
            let length = Int(query[place])
            place += 1 + length
            if length == 0 { return place + 4 <= query.count ? place + 4 : nil }
            if length > 63 { return nil }
        }
        return nil
    }
}
