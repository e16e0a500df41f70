import LoginCore

extension ProfileDecoder {
    /// Everything that is not about requests.
    func settings(_ table: StrictTable) throws(UsageFault) -> Profile.Settings {
        var settings = Profile.Settings()
        settings.allowHTTP = try table.bool("allow-http") ?? false
        settings.proxy = try table.string("proxy")
        settings.caFile = try table.string("ca-file").map(resolve)
        settings.certificate = try table.string("certificate").map(resolve)
        settings.key = try table.string("key").map(resolve)
        settings.timeout = try table.integer("timeout", in: 1...3600)
        settings.userAgent = try userAgent(table)
        if settings.userAgent == "browser" { (settings.userAgent, settings.takesUserAgent) = (nil, true) }
        settings.parentCookies = try table.bool("parent-cookies") ?? false
        settings.store = try table.string("store")
        settings.keepPassword = try table.bool("keep-password") ?? false
        settings.passwordCommand = try table.string("password-command")
        settings.otpCommand = try table.string("otp-command")
        settings.browser = try table.string("browser")
        settings.lendTo = try table.strings("lend-to")
        if let name = try table.string("persist") {
            guard let persist = Persistence(rawValue: name) else {
                throw table.fault("persist", "'\(name)' is not one of none, session, permanent")
            }
            settings.persist = persist
        }
        if let store = settings.store, store != "auto", StoreName(store) == nil {
            throw table.fault("store", "there is no store '\(store)'")
        }
        return settings
    }

    private func userAgent(_ table: StrictTable) throws(UsageFault) -> String? {
        guard let text = try table.string("user-agent") else { return nil }
        guard (1...1000).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
            throw table.fault("user-agent", "must be 1 to 1000 printable ASCII characters")
        }
        return text
    }

    /// Relative to the folder of the file; `~/` is understood.
    func resolve(_ path: String) -> String {
        if path.hasPrefix("~/"), let home { return home + path.dropFirst(1) }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }
}
