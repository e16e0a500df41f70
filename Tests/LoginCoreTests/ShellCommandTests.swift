@testable import LoginTestSupport
import Testing

@testable import LoginKit

/// Hints that can be pasted.
struct ShellCommandTests {
    @Test(arguments: [
        ("blog", "blog"), ("127.0.0.1:8765", "127.0.0.1:8765"), ("ann@x.example", "ann@x.example"), ("", "''"),
        ("x;touch RAN", "'x;touch RAN'"), ("$(touch RAN)", "'$(touch RAN)'"), ("[::1]:8765", "'[::1]:8765'"),
        ("it's", #"'it'\''s'"#), (#"a\b"#, #"'a'\\'b'"#), ("=ls", "'=ls'"), ("~", "'~'"), ("münchen", "münchen"),
    ])
    func `a word is quoted where a shell would take it for more`(word: String, quoted: String) {
        #expect(ShellCommand.quoted(word) == quoted)
    }

    @Test(
        arguments: ["sh", "bash", "zsh", "fish"],
        ["it's", #"\'"#, "a b", "$HOME", "`id`", "!!", "*", "#x", "\"", "=ls", "{a,b}"])
    func `every shell reads it as it was`(shell: String, word: String) throws {
        guard RealServer.path(of: shell) != nil else { return }
        let run = try Command.tool(shell, ["-c", "\(ShellCommand("printf", "<%s>", word))"])
        #expect(run.output == "<\(word)>", "\(run.error)")
    }

    @Test func `the commands in messages are quoted`() {
        let topic = ErrorContext(profile: "x;touch RAN")
        let messages = [
            LoginFault.loginRequired(LoginNeed(why: .nothingStored)), .usage(.tokenHasOnlyHeader(method: .basic)),
            .loginRequired(LoginNeed(why: .noActiveAccount(known: ["ann"]))),
        ].map { $0.message(about: topic).next }
        for next in messages { #expect(next.contains("'x;touch RAN'"), "\(next)") }
        let ticket = LoginFault.loginRequired(LoginNeed(why: .ticket(.expired(principal: "ann;id@R"))))
        #expect(ticket.message(about: topic).next.contains("kinit 'ann;id@R'"))
    }

    @Test(arguments: [
        ([CredentialField.username, .password], "check user name and password"), ([.token], "check the token"),
        ([.password], "check the password"), ([], "check user name and password"),
        ([.username, .password, .secret("client key")], "check user name, password and \"client key\""),
    ])
    func `what to look at is what was asked for`(fields: [CredentialField], words: String) {
        var topic = ErrorContext(profile: "blog")
        topic.fields = fields
        let next = LoginFault.rejected(Refusal(status: 401)).message(about: topic).next
        #expect(next == "\(words), then: authctl login blog")
    }

    private func trust(_ reasons: [ServerTrust.Reason]) throws -> LoginFault {
        .untrusted(
            .certificate(
                ServerTrust(
                    origin: Origin(scheme: "https", host: "blog.example", port: 443), reasons: reasons,
                    subject: "CN = x",
                    issuer: "CN = x", notBefore: 0, notAfter: 1,
                    fingerprint: try #require(Fingerprint(bytes: Array(0..<32))), key: "key")))
    }

    @Test func `an authority is the advice where it helps`() throws {
        var topic = ErrorContext(profile: "blog")
        #expect(try trust([.unknownAuthority]).message(about: topic).next.contains("as ca-file in the profile"))
        #expect(try !trust([.otherHost]).message(about: topic).next.contains("ca-file"))
        let url = ErrorContext(url: "https://blog.example/me")
        let login = "authctl login https://blog.example/me --ca-file FILE"
        #expect(try trust([.unknownAuthority]).message(about: url).next.contains(login))
        topic.namesAuthorities = true
        #expect(try !trust([.selfSigned, .otherHost]).message(about: topic).next.contains("--ca-file"))
    }

    @Test func `a method can be changed where there is a profile`() {
        let error = LoginFault.untrusted(.weakerMethod(offered: ["NTLM"], accepted: [.basic]))
        #expect(error.message(about: ErrorContext(profile: "blog")).next.contains("'method' in the profile"))
        let url = ErrorContext(profile: "x.example", url: "https://x.example/me")
        #expect(!error.message(about: url).next.contains("'method'"))
    }

    @Test func `a file that is not there is told as that`() {
        let error = LoginFault.store(.system(call: "open", path: "/k", errno: 2))
        #expect(error.message().what.contains("there is no file \"/k\""))
        #expect(!error.message().next.contains("disk"))
    }
}
