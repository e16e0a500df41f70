public import LoginCore

/// What a scripted port answers, in order. A call that the script does not foresee fails loudly, as an error that no
/// test expects; a test ends by looking whether all of the script was used.
public struct Script<Answer> {
    private let call: String
    private var answers: [Result<Answer, LoginError>]

    public init(_ call: String, _ answers: [Result<Answer, LoginError>]) {
        self.call = call
        self.answers = answers
    }

    /// How many answers nobody has asked for.
    public var rest: Int { answers.count }

    public mutating func next() throws(LoginError) -> Answer {
        guard !answers.isEmpty else { throw .failure(.unexpectedEvent("unscripted: \(call)")) }
        return try answers.removeFirst().get()
    }
}

/// The calls of several ports in one order.
public final class Journal {
    public private(set) var entries: [String] = []

    public init() {}

    public func note(_ entry: String) { entries.append(entry) }
}
