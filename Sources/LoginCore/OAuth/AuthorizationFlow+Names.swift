extension AuthorizationFlow.State {
    /// The case alone, for a message that must not show what is in it.
    var name: String {
        switch self {
        case .starting: "starting"
        case .discovering: "discovering"
        case .asking: "asking about the server"
        case .listening: "listening"
        case .registering: "registering"
        case .pushing: "pushing"
        case .showing: "showing the URL"
        case .awaitingAnswer: "awaiting the answer"
        case .requestingCode: "requesting a code"
        case .askingPage: "asking about the page"
        case .showingCode: "showing the code"
        case .waiting: "waiting"
        case .polling: "polling"
        case .exchanging: "exchanging"
        case .finished: "finished"
        }
    }
}

extension AuthorizationFlow.Event {
    /// The case alone.
    var name: String {
        switch self {
        case .begun: "begun"
        case .discovered: "discovered"
        case .agreed: "agreed"
        case .declined: "declined"
        case .listened: "listened"
        case .portTaken: "port taken"
        case .registered: "registered"
        case .pushed: "pushed"
        case .shown: "shown"
        case .heard: "heard"
        case .nothingHeard: "nothing heard"
        case .codeIssued: "code issued"
        case .codeRefused: "code refused"
        case .waited: "waited"
        case .polled: "polled"
        case .exchanged: "exchanged"
        case .failed: "failed"
        }
    }
}
