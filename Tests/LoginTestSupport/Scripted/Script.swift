@testable import LoginKit

/// What a scripted port answers, in order. A call that the script does not foresee fails loudly, as an error that no
/// test expects; a test ends by looking whether all of the script was used.
struct Script<Answer> {
    private let call: String
    private var answers: [Result<Answer, LoginFault>]

    init(_ call: String, _ answers: [Result<Answer, LoginFault>]) {
        self.call = call
        self.answers = answers
    }

    /// How many answers nobody has asked for.
    var rest: Int { answers.count }

    mutating func next() throws(LoginFault) -> Answer {
        guard !answers.isEmpty else { throw .failure(.unexpectedEvent("unscripted: \(call)")) }
        return try answers.removeFirst().get()
    }
}

/// The calls of several ports in one order.
final class Journal {
    private(set) var entries: [String] = []

    init() {}

    func note(_ entry: String) { entries.append(entry) }
}
