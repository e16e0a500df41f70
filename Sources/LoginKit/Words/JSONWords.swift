import LoginCore

extension JSONFault {
    /// The ambiguity, in a sentence.
    var words: String {
        switch self {
        case .malformed: "it is not JSON"
        case .otherEncoding: "it is not in UTF-8"
        case .repeatedMember: "an object has two members of the same name"
        case .trailingComma: "it has a trailing comma"
        case .tooMuch: "it is nested too deeply, or has too many values"
        }
    }
}
