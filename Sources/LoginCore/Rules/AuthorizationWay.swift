/// The way in which a person approves one login.
package enum AuthorizationWay: Equatable, Sendable {
    /// In a browser that comes back to this machine (RFC 8252); `starts` unless it is only told where to go.
    case browser(starts: Bool)
    /// In a browser anywhere, with a code that is typed there (RFC 8628).
    case device

    /// The facts that decide; the first one that applies wins.
    package struct Choice: Equatable, Sendable {
        /// As an option says.
        package let option: AuthorizationWay?
        /// As the profile says.
        package let profile: OAuthProfile.Flow?
        /// Whether there is a browser here that the person sees.
        package let canStartBrowser: Bool

        /// Without arguments: a machine without a browser, and no options.
        package init(
            option: AuthorizationWay? = nil, profile: OAuthProfile.Flow? = nil, canStartBrowser: Bool = false
        ) {
            self.option = option
            self.profile = profile
            self.canStartBrowser = canStartBrowser
        }

        /// - Parameter endpoints: those that the server has.
        /// - Throws: `noEndpoint`, where what is said cannot be done.
        package func way(with endpoints: Set<OAuthEndpoint>) throws(OAuthFault) -> AuthorizationWay {
            let way = wanted ?? usual(endpoints)
            guard endpoints.contains(way.endpoint) else { throw .noEndpoint(way.endpoint) }
            return way
        }

        private var wanted: AuthorizationWay? {
            if let option { return option }
            switch profile {
            case .browser: return .browser(starts: canStartBrowser)
            case .device: return .device
            case nil: return nil
            }
        }

        private func usual(_ endpoints: Set<OAuthEndpoint>) -> AuthorizationWay {
            if canStartBrowser, endpoints.contains(.authorization) { return .browser(starts: true) }
            return endpoints.contains(.deviceAuthorization) ? .device : .browser(starts: false)
        }
    }

    /// Where it begins.
    var endpoint: OAuthEndpoint {
        switch self {
        case .browser: .authorization
        case .device: .deviceAuthorization
        }
    }
}
