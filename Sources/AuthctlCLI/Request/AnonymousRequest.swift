import LoginCore
import LoginKit

/// `request --anonymous`: without a session and without a login, whatever the answer.
struct AnonymousRequest {
    let outgoing: OutgoingRequest
    let service: Service

    /// - Returns: the code of an answer that was handed on.
    func run() throws(LoginFault) -> ExitCode {
        defer { outgoing.output.close() }
        let relayed = try outgoing.send(over: service, with: nil, username: "")
        try outgoing.handOn()
        return try outgoing.code(of: relayed.response)
    }
}
