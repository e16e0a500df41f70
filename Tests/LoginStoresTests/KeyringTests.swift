import Glibc
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

/// The real kernel keyring, seen from other processes.
@Suite(.onOwnThreads, .enabled(if: Need.keyring, "the kernel keyring cannot be used here"))
struct KeyringTests {
    let profile = "keyring-\(UInt64.random(in: 0 ... .max))"
    let store = KeyringStore(clock: WallClock { Int64(time(nil)) })

    /// A process of the same user, a new session of processes, and a session keyring of its own that lacks `@u`.
    @Test(arguments: [[], ["setsid", "-w"], ["keyctl", "session", "-"], ["setsid", "-w", "keyctl", "session", "-"]])
    func `another process reads back what this one saved`(wrapper: [String]) throws {
        let account = AccountID.some(profile, "bob")
        try store.save(Secret("from the parent"), for: account, expires: nil)
        let found = try Program.run(wrapper + [Program.probe, "find", "keyring", "/nonexistent", profile, "bob"])
        #expect(found.status == 0)
        #expect(found.output == "from the parent")
        #expect(try store.erase(account))
    }

    @Test func `what a process in a session of its own saved outlives it`() throws {
        let wrapper = ["setsid", "-w", "keyctl", "session", "-"]
        let saved = try Program.run(
            wrapper + [Program.probe, "save", "keyring", "/nonexistent", profile, "bob", "from the child"])
        #expect(saved.status == 0)
        #expect(try store.find(.some(profile, "bob")) == Secret("from the child"))
        let erased = try Program.run(wrapper + [Program.probe, "erase", "keyring", "/nonexistent", profile, "bob"])
        #expect(erased.status == 0)
        #expect(try store.find(.some(profile, "bob")) == nil)
    }

    /// `keyctl session` gives what it runs a session keyring, as pam_keyinit does at login.
    private func inSession(_ steps: [(method: String, value: String)]) throws -> Finished {
        let script = steps.map { "'\(Program.probe)' \($0.method) keyring /nonexistent '\(profile)' bob \($0.value)" }
        return try Program.run(["keyctl", "session", "-", "sh", "-c", script.joined(separator: " && ")])
    }

    @Test func `what is for the session is in its own keyring, and nowhere else`() throws {
        let inside = try inSession([("save-for-session", "mine"), ("find", ""), ("save", "again"), ("find", "")])
        #expect(inside.status == 0)
        #expect(inside.output.hasSuffix("mine\nagain"))
        #expect(try store.find(.some(profile, "bob")) == nil)
    }

    @Test func `a secret leaves the session's keyring when it is to outlive it`() throws {
        let inside = try inSession([("save-for-session", "old"), ("save-for-good", "new"), ("find", "")])
        #expect(inside.output.hasSuffix("new"))
        #expect(try store.find(.some(profile, "bob")) == Secret("new"))
        #expect(try store.erase(.some(profile, "bob")))
    }

    @Test func `a session erases what it keeps, and what the user keeps`() throws {
        try store.save(Secret("of all"), for: .some(profile, "bob"), expires: nil)
        let inside = try inSession([("save-for-session", "mine"), ("find", ""), ("erase", "")])
        #expect(inside.status == 0 && inside.output.hasSuffix("mine"))
        #expect(try store.find(.some(profile, "bob")) == nil)
    }

    @Test func `only processes of its user have rights on the key`() throws {
        let account = AccountID.some(profile, "carol")
        try store.save(Secret("x"), for: account, expires: nil)
        let line = try Program.run(["grep", profile, "/proc/keys"]).output
        #expect(line.contains(" 001b0000 "))
        try store.erase(account)
    }

    /// As a process that changed its user may have left one in a keyring that both users had.
    @Test(.enabled(if: Need.root, "only root gives a key to another user"))
    func `a secret never goes into another user's key that was found before`() throws {
        let account = AccountID.some(profile, "mallory")
        let name = try #require(store.description(of: account))
        let key = try Program.run(["keyctl", "add", "user", name, "theirs", "@u"]).output
        #expect(try Program.run(["keyctl", "chown", key, "54321"]).status == 0)
        #expect(try store.find(account) == nil)
        try store.save(Secret("ours"), for: account, expires: nil)
        // It is in a key of this user, or it would not be found.
        #expect(try store.find(account) == Secret("ours"))
        try store.erase(account)
    }

    @Test func `the expiry is the kernel's time-out and a new save replaces it`() throws {
        let account = AccountID.some(profile, "dave")
        try store.save(Secret("x"), for: account, expires: Int64(time(nil)) + 3600)
        // In hours or minutes, as /proc/keys rounds it.
        let limited = try Program.run(["grep", profile, "/proc/keys"]).output
        #expect(limited.contains("59m") || limited.contains("1h"))
        try store.save(Secret("y"), for: account, expires: nil)
        #expect(try Program.run(["grep", profile, "/proc/keys"]).output.contains(" perm "))
        try store.save(Secret("z"), for: account, timeout: 1)
        // Without a pause: it may end between the search and the read.
        let end = ContinuousClock.now + .seconds(30)
        while try store.find(account) != nil, ContinuousClock.now < end {}
        #expect(try !store.contains(account))
        try store.save(Secret("again"), for: account, expires: nil)
        #expect(try store.find(account) == Secret("again"))
        try store.erase(account)
    }

    @Test(.enabled(if: Need.roomyKeyQuota, "the kernel's quota for this user's keys is smaller"))
    func `a secret of more than 32767 bytes is refused with the limit`() throws {
        let account = AccountID.some(profile, "erin")
        let most = Secret(count: 32_767) { for i in $0.indices { $0[i] = 7 } }
        try store.save(most, for: account, expires: nil)
        let more = Secret(count: 32_768) { for i in $0.indices { $0[i] = 7 } }
        #expect(throws: StoreFault.tooLarge(.keyring, limit: 32_767)) {
            try store.save(more, for: account, expires: nil)
        }
        #expect(try store.find(account) == most)
        try store.erase(account)
    }

    @Test func `names that no key can have are refused, and nothing is kept by them`() throws {
        let account = AccountID.some(profile, String(repeating: "\u{540D}", count: 460))
        #expect(throws: StoreFault.namesTooLong(.keyring, limit: 4095)) {
            try store.save(Secret("x"), for: account, expires: nil)
        }
        #expect(try store.find(account) == nil)
        #expect(try !store.contains(account))
        #expect(try !store.erase(account))
        // The longest that one can have.
        let blank = "authctl:\(profile) https://probe.example ".utf8.count
        let longest = AccountID.some(profile, String(repeating: "x", count: 4095 - blank))
        try store.save(Secret("y"), for: longest, expires: nil)
        #expect(try store.find(longest) == Secret("y"))
        #expect(try store.erase(longest))
    }

    /// In a process of its own, with an end: it may spin.
    @Test func `a key in a keyring within the user's does not keep a logout busy`() throws {
        let name = "authctl:\(profile) https://probe.example bob"
        let ring = try Program.run(["keyctl", "newring", profile, "@u"]).output
        defer { _ = try? Program.run(["keyctl", "unlink", ring, "@u"]) }
        #expect(try Program.run(["keyctl", "add", "user", name, "nested", ring]).status == 0)
        #expect(try store.find(.some(profile, "bob")) == Secret("nested"))
        let limited = ["timeout", "-s", "KILL", "10", Program.probe]
        let place = ["keyring", "/nonexistent", profile, "bob"]
        #expect(try Program.run(limited + ["erase"] + place).status == 3)
        try store.save(Secret("own"), for: .some(profile, "bob"), expires: nil)
        #expect(try store.find(.some(profile, "bob")) == Secret("own"))
        #expect(try Program.run(limited + ["erase"] + place).status == 0)
        #expect(try store.find(.some(profile, "bob")) == Secret("nested"))
    }

    @Test(.enabled(if: Need.root, "another user can only be tried by root"))
    func `another user finds nothing`() throws {
        let account = AccountID.some(profile, "frank")
        try store.save(Secret("mine"), for: account, expires: nil)
        let copy = TemporaryFolder()
        let probe = "\(copy.parent)/probe"
        #expect(try Program.run(["cp", Program.probe, probe]).status == 0)
        #expect(try Program.run(["chmod", "755", copy.parent, probe]).status == 0)
        let other = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
        let found = try Program.run(other + [probe, "find", "keyring", "/nonexistent", profile, "frank"])
        #expect(found.status == 3)
        #expect(try store.erase(account))
    }

    @Test(.enabled(if: Need.strace, "strace cannot trace here"), arguments: ["EDQUOT", "ENOSYS", "EPERM", "EACCES"])
    func `a kernel that refuses keys is told as an unavailable store`(errno: String) throws {
        let result = try Program.run([
            "strace", "-f", "-o", "/dev/null", "-e", "inject=add_key,keyctl:error=\(errno)", Program.probe, "save",
            "keyring",
            "/nonexistent", profile, "gina", "x",
        ])
        #expect(result.status == 8)
        #expect(result.errors.contains("unavailable"))
    }

    @Test(.enabled(if: Need.strace, "strace cannot trace here"))
    func `without libkeyutils the fault names the library`() throws {
        let result = try Program.run([
            "strace", "-f", "-o", "/dev/null", "-P", "/lib/x86_64-linux-gnu/libkeyutils.so.1", "-P",
            "/usr/lib/x86_64-linux-gnu/libkeyutils.so.1", "-e", "inject=openat:error=ENOENT", Program.probe, "find",
            "keyring", "/nonexistent", profile, "henry",
        ])
        #expect(result.status == 8)
        #expect(result.errors.contains("libkeyutils.so.1"))
    }
}
