import ArgumentParser
import LoginCore
import LoginKit

/// The options of a login that may be stored.
struct LoginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Store for the login (see: authctl store list).", valueName: "store"))
    var store: String?

    @Option(
        help: ArgumentHelp("How long to keep the login: none, session or permanent.", valueName: "how-long"),
        completion: .list(Persistence.allCases.map(\.rawValue)))
    var persist: String?

    @OptionGroup var attempt: AttemptOptions

    private static let stores = ["auto"] + StoreName.builtIn.map(\.description) + ["helper:NAME"]

    func validate() throws {
        if let store, store != "auto", StoreName(store) == nil {
            throw ValidationError(
                "--store: unknown store '\(store)'; the stores are \(Self.stores.joined(separator: ", ")).")
        }
        if let persist, Persistence(rawValue: persist) == nil {
            throw ValidationError("--persist must be none, session or permanent.")
        }
    }

    /// Those that a next try at a terminal needs as well, as they are typed.
    var words: [String] {
        [("--store", store), ("--persist", persist)].flatMap { name, value in value.map { [name, $0] } ?? [] }
            + attempt.words
    }

    /// Without what keeps nothing: a command that is to be used again needs a login that stays.
    var keeping: LoginOptions {
        var options = self
        if options.store == StoreName.none.description { options.store = nil }
        if options.persist == Persistence.none.rawValue { options.persist = nil }
        return options
    }

    /// The options of commands that log in.
    var request: LoginRequest {
        var request = attempt.request
        request.store = store
        request.persist = persist.flatMap { Persistence(rawValue: $0) }
        return request
    }
}
