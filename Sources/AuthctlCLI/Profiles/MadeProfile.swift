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
            // After the name was found free: another login with the same URL may have taken the one before.
            if let known = try made(profile) {
                profile.name = known
                return profile
            }
            let text = Self.document(table(profile, method)), file = "\(profile.name).toml"
            let isWritten = try Invocation.fromStore { () throws(StoreFault) in try folder.create(text, name: file) }
            if isWritten { return profile }
            profile.name = try newName()
        }
    }

    /// The name of a profile that was made of the same URL.
    private func made(_ profile: Profile) throws(LoginError) -> String? {
        try Invocation.fromConfig { () throws(UsageFault) in
            for name in profiles.names {
                guard case .made = profiles.source(of: name) else { continue }
                let known = try profiles.profile(named: name)
                if known.url == profile.url, known.verify.path == profile.verify.path { return name }
            }
            return nil
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
