import LoginCore

/// The commands of the Chrome DevTools Protocol that are ever sent to a browser.
enum DevToolsCommand {
    /// What it is, and what it calls itself.
    case version
    /// To tell of its pages from now on.
    case discover
    /// A session to a page.
    case attach(page: String)
    /// The cookies that it would send to one URL. `Storage.getCookies` would bring those of every origin.
    case cookies(url: String)
    /// To wait with each request of a page's scripts to this origin.
    case pause(Origin)
    /// To send a request that waits, unchanged.
    case proceed(request: String)
    case close

    var method: String {
        switch self {
        case .version: "Browser.getVersion"
        case .discover: "Target.setDiscoverTargets"
        case .attach: "Target.attachToTarget"
        case .cookies: "Network.getCookies"
        case .pause: "Fetch.enable"
        case .proceed: "Fetch.continueRequest"
        case .close: "Browser.close"
        }
    }

    var parameters: JSONText {
        var parameters = JSONText()
        switch self {
        case .version, .close: break
        case .discover: parameters.add("discover", true)
        case .attach(let page):
            parameters.add("targetId", page)
            parameters.add("flatten", true)
        case .cookies(let url): parameters.add("urls", [url])
        case .pause(let origin):
            // Of scripts alone: a form that is sent may have a password in it.
            let patterns = ["XHR", "Fetch"].map { kind in
                var pattern = JSONText()
                pattern.add("urlPattern", "\(origin)/*")
                pattern.add("resourceType", kind)
                pattern.add("requestStage", "Request")
                return pattern
            }
            parameters.add("patterns", patterns)
        case .proceed(let request): parameters.add("requestId", request)
        }
        return parameters
    }
}
