import LoginCore
import LoginStores

extension Invocation {
    /// Writes down the profile that a URL made, with the method that worked; a weaker offer is refused from then on.
    /// - Returns: the profile, under the next free name if another login has taken the first one meanwhile.
    func remember(_ target: LoginTarget, method: AuthenticationMethod?) throws(LoginError) -> Profile {
        guard let newName = target.newName else { return target.profile }
        var profile = target.profile
        let folder = ProfileFolder(path: paths.madeProfiles)
        while true {
            let text = Self.document(table(profile, method)), file = "\(profile.name).toml"
            let isWritten = try Invocation.fromStore { () throws(StoreFault) in try folder.create(text, name: file) }
            if isWritten { return profile }
            let present = try Invocation.fromConfig { () throws(UsageFault) in
                try profiles.profile(named: profile.name)
            }
            if present.url == profile.url, present.verify.path == profile.verify.path { return profile }
            profile.name = try newName()
        }
    }

    private func table(_ profile: Profile, _ method: AuthenticationMethod?) -> [String: ConfigValue] {
        var table: [String: ConfigValue] = [
            "url": .string(profile.url),
            "verify": .table(["get": .string(profile.verify.path.source)]),
        ]
        if let method { table["method"] = .string(method.rawValue) }
        if profile.settings.allowHTTP { table["allow-http"] = .bool(true) }
        if let proxy = profile.settings.proxy, proxy != profiles.defaults.proxy { table["proxy"] = .string(proxy) }
        if let file = profile.settings.caFile { table["ca-file"] = .string(file) }
        return table
    }

    /// Writes one profile's file.
    func write(_ table: [String: ConfigValue], as name: String) throws(LoginError) {
        try Invocation.fromStore { () throws(StoreFault) in
            try ProfileFolder(path: paths.madeProfiles).write(Self.document(table), name: "\(name).toml")
        }
    }

    private static func document(_ table: [String: ConfigValue]) -> String {
        "# Made by authctl; `authctl profile remove` deletes it.\n" + ConfigValue.table(table).document(headings: 0)
            + "\n"
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
