import LoginCore
import Secrets

/// Keeps the values of a response for later requests, as `take` names them.
extension ServiceClient {
    /// Keeps values of a response for later requests. A missing one is reported by the request that uses it.
    /// - Parameter keepingOld: whether a response that says nothing of it leaves what there was.
    func take(_ rule: ResponseRule, from facts: ParsedResponse, keepingOld: Bool) throws(LoginFault) {
        for taken in rule.taken {
            if !keepingOld { extraSecrets[.taken(taken.name)] = nil }
            guard let value = facts.secret(at: taken.place), !value.isEmpty else { continue }
            guard value.isHeaderSafe else {
                throw .network(.brokenResponse("what is to be {\(taken.name)} contains a control character"))
            }
            extraSecrets[.taken(taken.name)] = value
        }
    }

    /// Takes note of what a response hands out, before anything that it says is shown.
    func hide(whatIsIn facts: ParsedResponse, by rule: ResponseRule) {
        let places = [rule.token, rule.refreshToken].compactMap { $0 }
        // A short one is a number or a name as a rule, which any text of the server may hold.
        let taken = rule.taken.compactMap { facts.secret(at: $0.place) }.filter { $0.count >= 8 }
        hide(places.map { facts.secret(at: $0) } + facts.response.cookies.map(\.value) + taken)
    }

    /// The slot values of a request that carries `session`.
    func values(_ session: Session, username: String) -> SlotValues {
        var values = SlotValues(session, username: username, extraSecrets)
        values.csrf = csrf
        return values
    }
}
