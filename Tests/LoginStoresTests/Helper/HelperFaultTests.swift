import Foundation
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

/// Helpers that do not keep to the protocol: each fault is told as itself, soon, and with no secret in it.
@Suite(.onOwnThreads) struct `A helper` {
    private static let withheld = "(status 1); its output is not shown, since it contains a secret"

    private let account = AccountID.some()
    private let url = "https://authctl.invalid/work/probe.example:443/alice/"

    private func find(_ script: String, patience: Int = 20) throws -> String? {
        let helper = try ScriptedHelper(script)
        return words(of: ScriptedHelper.fault { _ = try helper.store(patience: patience).find(account) })
    }

    private func words(of fault: StoreFault?) -> String? {
        guard case .helper(.helper("odd"), let words, _) = fault else { return nil }
        return words
    }

    @Test(arguments: [
        ("exit 1", "without a message (status 1)"),
        ("echo the agent is gone; exit 1", "(status 1): \"the agent is gone\""),
        ("echo the agent is gone >&2; exit 1", "(status 1): \"the agent is gone\""),
        ("echo said; echo not said >&2; exit 1", "(status 1): \"said\""),
        ("echo '{\"Secret\":\"hunter2\"}'; exit 1", Self.withheld), ("echo authctl-login:aGk=; exit 1", Self.withheld),
    ])
    func `a helper that fails is told with its words`(script: String, words: String) throws {
        #expect(try find(script) == "'docker-credential-odd get' failed \(words)")
    }

    @Test func `a helper that a signal ends is told with its number`() throws {
        #expect(try find("kill -9 $$") == "'docker-credential-odd get' failed without a message (status 137)")
    }

    @Test func `a helper that knows nothing is no fault`() throws {
        for script in [
            "echo credentials not found in native keychain; exit 1",
            "echo '{\"ServerURL\":\"'$(cat)'\",\"Username\":\"\",\"Secret\":\"\"}'",
        ] {
            let helper = try ScriptedHelper(script)
            #expect(try helper.store().find(account) == nil)
        }
    }

    @Test func `a helper that says that it was given nothing is told so`() throws {
        #expect(
            try find("echo no credentials server URL; exit 1") == "'docker-credential-odd get' ignored the server URL")
        let helper = try ScriptedHelper("echo no credentials username; exit 1")
        let fault = ScriptedHelper.fault { try helper.store().save(Secret("x"), for: account, expires: nil) }
        #expect(words(of: fault) == "'docker-credential-odd store' ignored the user name")
    }

    @Test(arguments: [
        "true", "echo hello", "echo '{'", "echo '[]'", "echo '{\"Username\":\"x\"}'",
        "echo '{\"Username\":1,\"Secret\":2}'",
        "printf '\\377\\376'", "echo '{\"Username\":{\"a\":[[[[]]]]},\"Secret\":\"\"}'",
        "tr '\\0' '[' </dev/zero | head -c 1000000",
    ])
    func `a helper that prints something else is not understood`(script: String) throws {
        #expect(try find(script) == "the output of 'docker-credential-odd get' does not follow docker's protocol")
    }

    @Test func `a helper that answers with another entry is not believed`() throws {
        let answer = { (url: String, user: String) in
            "echo '{\"ServerURL\":\"\(url)\",\"Username\":\"\(user)\",\"Secret\":\"authctl-login:aGk=\"}'"
        }
        #expect(
            try find(answer("https://registry.example", "ann"))
                == "docker-credential-odd returned another entry than the one it was asked for")
        #expect(
            try find(answer("'$(cat)'", "ann"))
                == "docker-credential-odd returned another entry than the one it was asked for")
        let noURL = "echo '{\"Username\":\"ann\",\"Secret\":\"authctl-login:aGk=\"}'"
        #expect(try find(noURL) == "docker-credential-odd returned another entry than the one it was asked for")
    }

    /// A helper in ten lines, as docker's manual has the protocol: no URL in its answer.
    private let keeper = """
        file="$HERE/entry"
        case $1 in
        store) cat > "$file" ;;
        get) cat >/dev/null; sed 's/"ServerURL":"[^"]*",//' "$file" ;;
        *) exit 1 ;;
        esac
        """

    @Test func `a helper without list and without the URL in its answer will do`() throws {
        let helper = try ScriptedHelper(keeper)
        try helper.store().save(Secret("x"), for: account, expires: nil)
        #expect(try helper.store().find(account) == Secret("x"))
        #expect(try helper.store().contains(account))
        let fault = ScriptedHelper.fault { _ = try helper.store().find(.some("work", "bob")) }
        #expect(words(of: fault) == "docker-credential-odd returned another entry than the one it was asked for")
    }

    @Test func `a helper that holds what others wrote there is told`() throws {
        let helper = try ScriptedHelper(keeper)
        try helper.store().save(Secret("x"), for: account, expires: nil)
        let kept = try helper.read("entry")
        #expect(kept.hasPrefix("{\"ServerURL\":\"\(url)"))
        for foreign in ["hunter2", "authctl-login:!", "authctl-login:aGk"] {
            try helper.write(kept.replacing("authctl-login:eA==", with: foreign), to: "entry")
            let fault = ScriptedHelper.fault { _ = try helper.store().find(account) }
            #expect(
                words(of: fault)
                    == "the entry for this account in docker-credential-odd was not written by authctl")
        }
    }

    @Test(arguments: ["yes", "yes >&2", "yes & sleep 5"])
    func `a helper that prints without end is given up, and ended`(script: String) throws {
        let begin = ContinuousClock.now
        #expect(
            try find("echo $$ > $HERE/pid; \(script)") == "'docker-credential-odd get' printed more than 1048576 bytes")
        #expect(ContinuousClock.now - begin < .seconds(25))
    }

    @Test(arguments: [
        "sleep 100", "exec >&- 2>&-; sleep 100", "trap '' TERM; while :; do sleep 1; done", "sleep 100 | cat",
    ])
    func `a helper that hangs is ended with all that it started`(script: String) throws {
        let mark = "hang-\(UInt64.random(in: 0 ... .max))"
        let helper = try ScriptedHelper("export MARK=\(mark)\n\(script)")
        let begin = ContinuousClock.now
        #expect(throws: StoreFault.timedOut(.helper("odd"), seconds: 1)) { try helper.store(patience: 1).find(account) }
        #expect(ContinuousClock.now - begin < .seconds(25))
        // What was killed may take a moment to be gone.
        let isGone = try eventually {
            try Program.run(["sh", "-c", "grep -l \(mark) /proc/[0-9]*/environ 2>/dev/null; true"]).output.isEmpty
        }
        #expect(isGone)
    }

    @Test func `a helper may leave something behind that keeps the pipe open`() throws {
        let helper = try ScriptedHelper("echo '{}'; [ $1 = list ] && sleep 30 & exit 0")
        let begin = ContinuousClock.now
        #expect(try !helper.store().contains(account))
        #expect(ContinuousClock.now - begin < .seconds(25))
    }

    @Test func `a helper that repeats the secret is not quoted`() throws {
        let secret = Secret("correct horse battery staple")
        for script in [
            "cat; exit 1", "cat >&2; exit 1", "sed 's/.*login://' ; exit 1",
            "echo correct horse battery staple; exit 1",
        ] {
            let helper = try ScriptedHelper(script)
            let fault = ScriptedHelper.fault { try helper.store().save(secret, for: account, expires: nil) }
            #expect(words(of: fault) == "'docker-credential-odd store' failed \(Self.withheld)")
        }
    }

    @Test func `a helper that reads nothing is not waited for`() throws {
        let helper = try ScriptedHelper("exec <&-; exit 0")
        let fault = ScriptedHelper.fault {
            try helper.store().save(Secret.anything(HelperSecret.largest), for: account, expires: nil)
        }
        #expect(fault == .helper(.helper("odd"), notUnderstood: "get"))
    }

    @Test(arguments: ["echo credentials not found in native keychain; exit 1", #"sed s/eA==/eQ==/ "$HERE/entry""#])
    func `a helper that says it has stored what it does not give back is not believed`(answer: String) throws {
        let helper = try ScriptedHelper(
            "case $1 in\nstore) cat >\"$HERE/entry\" ;;\nget) cat >/dev/null; \(answer) ;;\n*) exit 1 ;;\nesac")
        let lost = StoreFault.unavailable(.helper("odd"), problem: "what was written cannot be read back")
        #expect(throws: lost) { try helper.store().save(Secret("x"), for: account, expires: nil) }
    }
}
