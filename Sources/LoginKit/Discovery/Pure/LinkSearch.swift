/// Goes from what lets anonymous clients in to what it names, until there are both a place that refuses them and a way to log in.
struct LinkSearch {
    /// Somewhere to look.
    struct Lead {
        /// Path and query.
        let target: String
        /// The source of the link.
        let namedBy: String
        /// The authentication schemes there, as the service's description says.
        let schemes: [APIDescription.Scheme]
    }

    private var leads: [Lead] = []
    private var tried: Set<String>
    private(set) var place: GuardedPlace?
    private(set) var login: FoundLogin?

    /// - Parameter first: what the search begins with, as it was looked at.
    init(_ first: Glimpse?, at target: String) {
        tried = [target]
        if let first { add(first) }
    }

    mutating func next() -> Lead? {
        while !leads.isEmpty {
            let lead = leads.removeFirst()
            if tried.insert(lead.target).inserted { return lead }
        }
        return nil
    }

    /// Takes what was seen at a lead.
    mutating func take(_ glimpse: Glimpse, from lead: Lead) {
        add(glimpse)
        guard let place = glimpse.place, login == nil || glimpse.login != nil else { return }
        if let described = Self.login(lead), glimpse.login?.isWeaker ?? true {
            (self.place, login) = (place, described)
        }
    }

    private mutating func add(_ glimpse: Glimpse) {
        leads = glimpse.leads.filter { !$0.schemes.isEmpty } + leads + glimpse.leads.filter { $0.schemes.isEmpty }
        if let place = glimpse.place {
            // A page that is there for logging in may show its form to everybody.
            if case .form = place.refusal {} else { self.place = self.place ?? place }
        }
        login = login ?? glimpse.login
    }

    /// Both, once both are known.
    var complete: (place: GuardedPlace, login: FoundLogin)? {
        guard let place, let login else { return nil }
        return (place, login)
    }

    /// A form without a place that it opens.
    var formAlone: FoundForm? {
        if place == nil, case .form(let form)? = login { form } else { nil }
    }

    /// The security scheme of the operations in a description.
    private static func login(_ lead: Lead) -> FoundLogin? {
        for scheme in lead.schemes {
            switch scheme {
            case .passwordGrant(let path): return .passwordGrant(path: path, description: lead.namedBy)
            case .basic: return .challenge([.basic], field: "")
            case .header(let name) where name.utf8.count <= 100 && name.isHeaderName:
                return .token(header: "\(name): {token}", field: "")
            case .bearer: return .token(header: nil, field: "")
            case .header, .other: continue
            }
        }
        return nil
    }
}

extension FoundLogin {
    /// Whether a description of the service says more.
    fileprivate var isWeaker: Bool { if case .token = self { true } else { false } }
}
