import ArgumentParser
import LoginCore
import LoginKit

/// The values that differ between users: profiles, accounts, stores.
///
/// A fault of the configuration or of what is remembered is no reason to disturb somebody who is typing: nothing is offered then,
/// and the command itself says why.
struct CompletionSources {
    let dependencies: Dependencies
    let place: CommandLinePlace

    /// Returns the possible values of an option or argument.
    func values(of argument: CommandShape.Argument) -> [String] {
        if let values = argument.completionKind?.list?.values { return values }
        switch (place.command.first, argument.key) {
        case ("profile", "name") where argument.kind == .positional && place.command.last == "remove":
            return profiles { if case .made = $0 { true } else { false } }
        case ("profile", "preset"): return Presets(dependencies.environment).names
        case ("profile", "name") where place.command.last == "presets": return Presets(dependencies.environment).names
        case ("profile", "name") where argument.kind == .positional, (_, "profile"), (_, "profile-or-url"):
            return profiles()
        case ("switch", "names"): return switchable
        case (_, "username"): return accounts
        case ("store", "store") where place.command.last == "init": return ["file"]
        case ("store", "store"), ("store", "from"), ("store", "to"):
            return stores.filter(\.keepsLogins).map(\.description)
        case (_, "store"): return ["auto"] + stores.map(\.description)
        case ("trust", "origin"): return profiles() + origins
        case ("request", _) where argument.kind == .positional && place.arguments.isEmpty:
            return RequestWords.usualMethods
        default: return []
        }
    }

    private func profiles(_ isWanted: (Configuration.Source) -> Bool = { _ in true }) -> [String] {
        guard let registry = context?.profiles else { return [] }
        return registry.names.filter { name in
            ProfileName.problem(name) == nil && registry.source(of: name).map(isWanted) ?? false
        }
    }

    /// `switch PROFILE USER`, or the user alone where the profile is clear.
    private var switchable: [String] {
        switch place.arguments.count {
        case 0: place.values["profile"] == nil ? profiles() + (profile.map(usernames) ?? []) : accounts
        case 1 where place.values["profile"] == nil: usernames(of: place.arguments[0])
        default: []
        }
    }

    /// The accounts of the profile that the line means; of all of them where that cannot be told.
    private var accounts: [String] {
        if let profile { return usernames(of: profile) }
        guard let document else { return [] }
        return document.profiles.reduce(into: []) { all, record in
            all += record.usernames.filter { !all.contains($0) }
        }
    }

    private func usernames(of profile: String) -> [String] { document?.profile(profile)?.usernames ?? [] }

    /// As the command itself would find it, from the words before the cursor.
    private var profile: String? {
        let commands = ["login", "whoami", "logout", "status", "token", "switch", "profile"]
        let argument = commands.contains(place.command.first ?? "") ? place.arguments.first : nil
        guard let context else { return nil }
        do throws(LoginFault) {
            return try context.selectProfile(argument ?? place.values["profile"]).name
        } catch {
            return nil
        }
    }

    /// With the helpers that are in `PATH`.
    private var stores: [StoreName] {
        let stores = dependencies.stores(
            Dependencies.StoreLocation(stateFolder: ""), { () throws(StoreFault) in throw .passphraseCancelled })
        return StoreName.builtIn + stores.helpers() + stores.sharedStores()
    }

    private var origins: [String] { (document?.trusted ?? []).map(\.origin.description).sorted() }

    private var document: AccountRegistryDocument? {
        guard let context else { return nil }
        do throws(LoginFault) { return try context.document() } catch { return nil }
    }

    private var context: LoginContext? {
        var options = LoginContext.Options()
        options.config = place.values["config"]
        do throws(LoginFault) { return try LoginContext(dependencies, options, .silent) } catch { return nil }
    }
}
