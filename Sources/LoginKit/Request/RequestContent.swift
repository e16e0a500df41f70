package import LoginCore
package import Secrets

/// The body of a request.
package enum RequestContent {
    case none
    /// Can be sent again.
    case kept(Secret)
    case streamed(any RequestSource, isRepeatable: Bool)

    /// Whether it can be sent once more; one that is read as it is sent then begins again.
    var isRepeatable: Bool {
        switch self {
        case .none, .kept: true
        case .streamed(let source, let isRepeatable): isRepeatable && source.rewind()
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
