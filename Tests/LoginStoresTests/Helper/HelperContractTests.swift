import Foundation
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

/// The contract of the stores on the helpers that docker's users have.
@Suite(.onOwnThreads) struct HelperContractTests {
    @Test(.enabled(if: Need.passHelper, "docker-credential-pass is not here"), arguments: Clause.allCases)
    func `docker-credential-pass keeps the contract`(clause: Clause) throws {
        let helper = try PassHelper()
        try StoreContract(store: helper.store).expect(clause)
    }

    @Test(
        .enabled(if: Need.secretServiceHelper, "docker-credential-secretservice is not here"),
        arguments: Clause.allCases)
    func `docker-credential-secretservice keeps the contract`(clause: Clause) throws {
        let helper = try SecretServiceHelper()
        try StoreContract(store: helper.store).expect(clause)
    }

    @Test(.enabled(if: Need.passHelper, "docker-credential-pass is not here"))
    func `the names of entries stay short, can be recognised, and never leave their folder`() throws {
        let helper = try PassHelper()
        let long = String(repeating: "x", count: 3000)
        let origin = Origin(scheme: "https", host: long, port: 65535)
        let accounts = ["../../../escape", "..", "/etc/passwd", "-rf", long, "\u{E9}\n\0"].map {
            AccountID(profile: long, origin: origin, username: $0)
        }
        for account in accounts { try helper.store.save(Secret("of \(account.username)"), for: account, expires: nil) }
        for account in accounts { #expect(try helper.store.find(account) == Secret("of \(account.username)")) }
        #expect(helper.entries.count == 2 * accounts.count)
        try helper.store.save(Secret("x"), for: .some("work", "ann"), expires: nil)
        #expect(helper.entries.contains { $0.contains("/authctl-work-ann-") })
        #expect(try helper.store.erase(.some("work", "ann")))
        for account in accounts { #expect(try helper.store.erase(account)) }
        #expect(helper.entries.isEmpty)
    }

    @Test(.enabled(if: Need.passHelper, "docker-credential-pass is not here"))
    func `an entry of somebody else that list stumbles over hides nothing of ours`() throws {
        let helper = try PassHelper()
        try helper.store.save(Secret("x"), for: .some(), expires: nil)
        let stray = helper.folder.parent + "/pass/docker-credential-helpers/not base64"
        try FileManager.default.createDirectory(atPath: stray, withIntermediateDirectories: true)
        #expect(try helper.store.contains(.some()))
        #expect(try !helper.store.contains(.some("other")))
        #expect(try helper.store.erase(.some()))
        #expect(try helper.store.find(.some()) == nil)
    }

    @Test(.enabled(if: Need.passHelper, "docker-credential-pass is not here"))
    func `a secret whose key is gone is a fault, not a missing login, and can be erased`() throws {
        let helper = try PassHelper()
        try helper.store.save(Secret("x"), for: .some(), expires: nil)
        try helper.run(["gpgconf", "--kill", "all"])
        try FileManager.default.removeItem(atPath: "\(helper.folder.parent)/gnupg/private-keys-v1.d")
        let fault = ScriptedHelper.fault { _ = try helper.store.find(.some()) }
        guard case .helper(.helper("pass"), let words, _) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(words.contains("secret key"))
        #expect(try helper.store.contains(.some()))
        #expect(try helper.store.erase(.some()))
    }

    @Test(.enabled(if: Need.passHelper, "docker-credential-pass is not here"))
    func `more than a helper reads is too large, and the old secret stays`() throws {
        let helper = try PassHelper()
        let largest = Secret.anything(HelperSecret.largest)
        try helper.store.save(largest, for: .some(), expires: nil)
        let larger = Secret.anything(HelperSecret.largest + 1)
        #expect(throws: StoreFault.tooLarge(.helper("pass"), limit: HelperSecret.largest)) {
            try helper.store.save(larger, for: .some(), expires: nil)
        }
        #expect(try helper.store.find(.some()) == largest)
    }

    /// Every program that comes of it, with arguments and environment, as the kernel sees them start.
    @Test(.enabled(if: Need.passHelper && Need.strace, "docker-credential-pass or strace is not here"))
    func `no argument and no variable of the helper and what it starts has a secret in it`() throws {
        let helper = try PassHelper()
        let trace = helper.folder.parent + "/trace"
        let secret = "correct horse battery staple"
        let tracing = ["strace", "-f", "-v", "-s", "100000", "-e", "trace=execve", "-o", trace]
        let password = "AUTHCTL_PASSWORD=hunter2-of-the-environment"
        let probe = [Program.probe, "save", "helper:pass", "/nonexistent", "work", "ann", secret]
        let result = try Program.run(["-i"] + helper.assignments + [password] + tracing + probe)
        #expect(result.status == 0, "\(result.errors)")
        let starts = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("execve(") && !$0.contains("StoreProbe\"")
        }
        #expect(
            starts.contains {
                $0.contains("\"/usr/bin/docker-credential-pass\", [\"/usr/bin/docker-credential-pass\", \"store\"]")
            })
        // pass takes gpg2 where there is one.
        #expect(starts.contains { $0.contains("/gpg\"") || $0.contains("/gpg2\"") })
        for start in starts {
            for part in [secret, Data(secret.utf8).base64EncodedString(), "hunter2"] { #expect(!start.contains(part)) }
        }
    }
}
