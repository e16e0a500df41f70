extension JSONFault {
    /// What makes it unclear, in a sentence.
    var words: String {
        switch self {
        case .malformed: "it is not JSON"
        case .otherEncoding: "it is not in UTF-8, or begins with a byte order mark"
        case .repeatedMember: "an object has two members of one name"
        case .trailingComma: "there is nothing behind one of its commas"
        case .tooMuch: "it is nested too deeply, or has too many values"
        }
    }
}
