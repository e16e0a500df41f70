import LoginCore
import Secrets

/// An engine behind a program of two verbs, `authctl-store-NAME`; authctl-store(1), SHARED STORES, has its protocol.
///
/// As docker's helpers it is run by its absolute path, without a shell, once for each request.
struct SharedHelper: SharedEngine {
    /// The time limit of one request, in seconds.
    static let patience = 20

    /// A request has to fit into a pipe (pipe(7), 64 KiB).
    var largest: Int { 60_000 }

    let store: StoreName
    let environment: ProgramEnvironment
    var patience = Self.patience

    private struct Request: Encodable {
        let key: String
        var value: String?
        /// Absent from a `get`; of a `put` the version that is replaced, `null` for none.
        var condition: String??

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: FormKey.self)
            try members.encode(key, forKey: "key")
            try members.encodeIfPresent(value, forKey: "value")
            if let condition { try members.encode(condition, forKey: "if") }
        }
    }

    private struct Response: Decodable {
        let value: String?
        let version: String?
        let isConflict: Bool

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: FormKey.self)
            value = try members.decodeIfPresent(String.self, forKey: "value")
            version = try members.decodeIfPresent(String.self, forKey: "version")
            isConflict = try members.decodeIfPresent(Bool.self, forKey: "conflict") ?? false
        }
    }

    func get(_ key: String) throws(StoreFault) -> SharedItem? {
        let response = try run("get", Request(key: key))
        switch (response.value, response.version) {
        case (nil, nil): return nil
        case (let value?, let version?) where SharedItem.isVersion(version):
            return SharedItem(value: value, version: version)
        default: throw .helper(store, .notUnderstood(method: "get"))
        }
    }

    func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String? {
        let response = try run("put", Request(key: key, value: value, condition: .some(version)))
        if response.isConflict { return nil }
        guard let version = response.version, SharedItem.isVersion(version) else {
            throw .helper(store, .notUnderstood(method: "put"))
        }
        return version
    }

    private func run(_ method: String, _ request: Request) throws(StoreFault) -> Response {
        let input = SecretJSON.encodeOwn(request)
        let answer: HelperCall.Answer
        do throws(StoreFault) {
            answer = try HelperProgram(store: store, environment: environment, patience: patience).run(method, input)
        } catch .timedOut {
            throw .shared(store, .engineAway(.some("no answer within \(patience) seconds")))
        }
        guard answer.status == 0 else {
            let words = HelperResponse.trimmed(answer.errors).split(whereSeparator: \.isWhitespace).joined(
                separator: " ")
            let told: HelperFault.Words = words.isEmpty ? .none : .some(words)
            throw .shared(store, .engineAway(told))
        }
        guard let response = SecretJSON.decode(Response.self, from: answer.output) else {
            throw .helper(store, .notUnderstood(method: method))
        }
        return response
    }
}
