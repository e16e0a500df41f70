import ArgumentParser
import LoginKit
import Secrets

/// `authctl logout [PROFILE]`
struct LogoutCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session at the service and erase every local copy.",
        discussion: """
            Profiles are kept. A second logout is not an error.

            Examples:
              authctl logout wiki
              authctl logout --all
            """)

    @Argument(help: "The profile.")
    var profile: String?

    @Flag(help: "Log out all accounts of the profile, or of every profile.")
    var all = false

    @Flag(help: "Send no request; only erase the local copies.")
    var local = false

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        invocation.context.readNewerRegistry()
        let accounts = try accounts(invocation)
        var receipts: [Receipt] = []
        var fault: (error: LoginFault, topic: ErrorContext)?
        do {
            try perform(accounts, invocation, into: &receipts)
        } catch {
            fault = (error, invocation.context.topic)
        }
        fault = tell(receipts, invocation) ?? fault
        receipts.removeAll { $0.fault != nil }
        if !receipts.isEmpty, try invocation.context.document().isNewer {
            let file = "\(invocation.context.paths.stateFolder)/\(AccountRegistry.fileName)"
            invocation.say(
                "\(SafeText.escaped(file)) was written by a newer authctl, and still lists the logins that were erased."
            )
        }
        // After the accounts, since it may be what opens their file, and whatever became of them.
        if isOfEverything(invocation) {
            do {
                try invocation.context.stores().dropHeldKey()
                try invocation.context.stores().sweep()
            } catch {
                fault = fault ?? (.store(error), ErrorContext())
            }
        }
        if let fault {
            invocation.context.topic = fault.topic
            throw fault.error
        }
        try tellOfOthers(receipts, invocation)
        if receipts.isEmpty { invocation.say(try nobody(invocation)) }
        return try report(receipts, invocation)
    }

    /// Ends the login of the engine of shared stores last, and only if nothing is left that it is needed for.
    private func perform(
        _ accounts: [AccountLogout.Account], _ invocation: Invocation, into receipts: inout [Receipt]
    ) throws(LoginFault) {
        let profiles = invocation.context.profiles
        let first = accounts.filter { !profiles.isOfEngine($0.profile.name) }
        let last = accounts.filter { profiles.isOfEngine($0.profile.name) }
        func perform(_ accounts: [AccountLogout.Account]) throws(LoginFault) -> [Receipt] {
            try AccountLogout(context: invocation.context, accounts: accounts).perform(asksServer: !local)
        }
        receipts = try perform(first)
        let isNeeded = zip(first, receipts).contains { account, receipt in
            receipt.fault != nil && (account.record.store == .etcd || account.record.otherCopies.contains(.etcd))
        }
        guard isNeeded else { return receipts += try perform(last) }
        for account in last {
            invocation.say(
                "\(account.profile.name): still logged in, since logins in '\(StoreName.etcd)' could not be deleted yet."
            )
        }
    }

    /// Says what was done.
    /// - Returns: the first fault, which ends the command and is told then.
    private func tell(_ receipts: [Receipt], _ invocation: Invocation) -> (error: LoginFault, topic: ErrorContext)? {
        var first: (error: LoginFault, topic: ErrorContext)?
        for receipt in receipts {
            if receipt.fault == nil || receipt.facts.wasSent {
                let words = StyledText(receipt.words(now: invocation.context.dependencies.clock.now()))
                let isDone = receipt.fault == nil && receipt.problem == nil
                invocation.say(styled: "\(isGood: isDone)" + words)
            }
            guard let error = receipt.fault else { continue }
            let topic = ErrorContext(profile: receipt.profile, origin: receipt.place)
            // One store that is locked does not keep the secrets of the other accounts alive.
            if let first, first.error != error {
                invocation.streams.say("authctl: \(error.message(about: topic).what)")
            }
            first = first ?? (error, topic)
        }
        return first
    }

    private func report(_ receipts: [Receipt], _ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let failed = receipts.filter { $0.problem != nil }
        guard !failed.isEmpty else {
            if printsJSON { try invocation.streams.result(json: receipts) }
            return .ok
        }
        invocation.context.topic =
            failed.count > 1 ? ErrorContext() : ErrorContext(profile: failed[0].profile, origin: failed[0].place)
        let problems = failed.map { receipt in
            (failed.count > 1 ? "\(receipt.profile): " : "") + (receipt.problem ?? "")
        }
        let error = LoginFault.failure(.logoutIncomplete(problems.joined(separator: "; ")))
        guard printsJSON else { throw error }
        invocation.streams.say(error, about: invocation.context.topic)
        let facts = ErrorReport(error, about: invocation.context.topic)
        try invocation.streams.result(json: IncompleteLogout(error: facts, receipts: receipts))
        return error.exitCode
    }

    /// Whoever logs out of one of several accounts may take it for the only one.
    private func tellOfOthers(_ receipts: [Receipt], _ invocation: Invocation) throws(LoginFault) {
        guard !all, let done = receipts.first,
            let record = try fromStore(try invocation.context.registry.read()).profile(
                done.profile),
            record.activeAccount == nil, let next = record.usernames.first
        else { return }
        let names = record.usernames.map { SafeText.quoted($0) }.joined(separator: ", ")
        invocation.say(
            "Still logged in: \(names). To use one of them: \(ShellCommand("authctl", "switch", done.profile, next))")
    }

    private func isOfEverything(_ invocation: Invocation) -> Bool {
        all && profile == nil && invocation.options.profile == nil
    }

    /// Says why there was nothing to do.
    private func nobody(_ invocation: Invocation) throws(LoginFault) -> String {
        let nothing = "You are not logged in to anything."
        if isOfEverything(invocation) { return nothing }
        let profile = try invocation.context.selection.profile(profile)
        guard let name = invocation.context.username(for: profile) else { return try elsewhere(profile, invocation) }
        let known = try invocation.context.document().profile(profile.name)?.usernames.map { SafeText.quoted($0) } ?? []
        let others = known.isEmpty ? "" : " Still logged in: \(known.joined(separator: ", "))."
        return "You are not logged in to \(profile.name) as \(SafeText.quoted(name)).\(others)"
    }

    /// Whoever is logged in to another profile may have meant that one.
    private func elsewhere(_ profile: Profile, _ invocation: Invocation) throws(LoginFault) -> String {
        let document = try invocation.context.document()
        let others = document.profiles.filter { !$0.name.isSame(as: profile.name) && $0.activeAccount != nil }
        let nothing = "You are not logged in to \(profile.name)."
        if others.isEmpty { return nothing }
        let names = others.map { other in
            let name = other.activeAccount?.identity.displayName ?? ""
            return other.name + (name.isEmpty ? "" : " (as \(SafeText.name(name)))")
        }
        return """
            \(nothing) Still logged in: \(names.joined(separator: ", ")). Log out of everything: \
            authctl logout --all
            """
    }

    private func accounts(_ invocation: Invocation) throws(LoginFault) -> [AccountLogout.Account] {
        if isOfEverything(invocation) {
            return try invocation.context.document().profiles.flatMap { profile in
                profile.accounts.map { (profile, $0) }
            }
        }
        let profile = try invocation.context.selection.profile(profile)
        if !all, !local {
            try invocation.context.accounts.adoptForLogout(profile, invocation.context.username(for: profile))
        }
        guard let record = try invocation.context.document().profile(profile.name) else { return [] }
        if all { return record.accounts.map { (record, $0) } }
        if let name = invocation.context.username(for: profile) {
            return record.account(named: name).map { [(record, $0)] } ?? []
        }
        return record.activeAccount.map { [(record, $0)] } ?? []
    }
}

/// The output of `logout --json` where a server did not end a session: the usual error, and what was done.
private struct IncompleteLogout: Encodable {
    let error: ErrorReport
    let receipts: [Receipt]
}
