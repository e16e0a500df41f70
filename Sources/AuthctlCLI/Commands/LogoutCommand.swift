import ArgumentParser
import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// `authctl logout [PROFILE]`
struct LogoutCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session at the service, and erase every local copy.",
        discussion: "Profiles stay. A second logout is no error.")

    @Argument(help: "The profile.")
    var profile: String?

    @Flag(help: "All accounts of the profile; without a profile, all accounts of every profile.")
    var all = false

    @Flag(help: "Send nothing; only erase what is stored.")
    var local = false

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        var receipts: [Receipt] = []
        var fault: LoginError?
        for (profile, account) in try accounts(invocation) {
            let farewell = AccountFarewell(invocation: invocation, profile: profile, account: account)
            do throws(LoginError) {
                let receipt = try farewell.perform(asksServer: !local)
                receipts.append(receipt)
                invocation.say(receipt.words(now: invocation.world.clock.now()))
            } catch {
                // One store that is locked does not keep the secrets of the other accounts alive.
                invocation.world.streams.say("authctl: \(error.message(about: invocation.topic).what)")
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        if receipts.isEmpty { invocation.say("Nobody is logged in; there is nothing to do.") }
        let problem = receipts.compactMap(\.problem).first
        // One JSON value, also on failure: then it is the error.
        if printsJSON, problem == nil { try invocation.world.streams.result(json: receipts) }
        if let problem { throw .failure(.logoutIncomplete(problem)) }
        return .ok
    }

    private func accounts(_ invocation: Invocation) throws(LoginError) -> [(
        profile: ProfileRecord, account: AccountRecord
    )] {
        let document = try invocation.document()
        if all && profile == nil && invocation.options.profile == nil {
            return document.profiles.flatMap { profile in profile.accounts.map { (profile, $0) } }
        }
        let profile = try invocation.selectProfile(profile)
        guard let record = document.profile(profile.name) else { return [] }
        if all { return record.accounts.map { (record, $0) } }
        if let name = invocation.options.username { return record.account(named: name).map { [(record, $0)] } ?? [] }
        return record.activeAccount.map { [(record, $0)] } ?? []
    }
}
