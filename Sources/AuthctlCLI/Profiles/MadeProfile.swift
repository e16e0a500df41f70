import LoginCore
import LoginStores

extension Invocation {
    /// Writes down a profile that a URL made, with the method that worked; a weaker offer is refused from then on.
    func remember(_ profile: Profile, method: AuthenticationMethod?) throws(LoginError) {
        guard profiles.source(of: profile.name) == nil else { return }
        var table: [String: ConfigValue] = [
            "url": .string(profile.url),
            "verify": .table(["get": .string(profile.verify.path.source)]),
        ]
        if let method { table["method"] = .string(method.rawValue) }
        if profile.settings.allowHTTP { table["allow-http"] = .bool(true) }
        if let proxy = profile.settings.proxy, proxy != profiles.defaults.proxy { table["proxy"] = .string(proxy) }
        if let file = profile.settings.caFile { table["ca-file"] = .string(file) }
        try write(table, as: profile.name)
    }

    /// Writes one profile's file.
    func write(_ table: [String: ConfigValue], as name: String) throws(LoginError) {
        let text =
            "# Made by authctl; `authctl profile remove` deletes it.\n" + ConfigValue.table(table).document(headings: 0)
            + "\n"
        try Invocation.fromStore { () throws(StoreFault) in
            try ProfileFolder(path: paths.madeProfiles).write(text, name: "\(name).toml")
        }
    }
}

extension Template {
    /// The text that parses to this template.
    var source: String {
        parts.map { part in
            switch part {
            case .text(let text): text.split(separator: "{", omittingEmptySubsequences: false).joined(separator: "{{")
            case .slot(let slot): "{\(slot.name)}"
            }
        }.joined()
    }
}
