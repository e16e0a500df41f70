package import LoginCore
package import Secrets

/// The body of a request.
package enum RequestContent {
    case none
    /// Can be sent again.
    case kept(Secret)
    case streamed(any RequestSource, isRepeatable: Bool)

    /// Whether it can be sent once more.
    var isRepeatable: Bool {
        switch self {
        case .none, .kept: true
        case .streamed(_, let isRepeatable): isRepeatable
        }
    }

    /// Whether it is too long to be sent in vain.
    var isLong: Bool {
        switch self {
        case .none, .kept: false
        case .streamed: true
        }
    }
}
