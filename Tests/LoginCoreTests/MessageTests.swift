@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// The one place that turns errors into words.
struct MessageTests {
    private let topic = ErrorContext(profile: "blog", origin: SomeLogin.origin)

    @Test func `every message says something, of which profile and origin, and in one line`() {
        for (error, _) in SomeErrors.all {
            let message = error.message(about: topic)
            #expect(message.what.hasPrefix("blog (https://blog.example): "), "\(error)")
            #expect(message.what.count > "blog (https://blog.example): ".count + 8, "\(error)")
        }
    }

    @Test func `no message holds what a terminal would obey`() {
        for topic in [topic, ErrorContext(profile: SomeErrors.hostile), ErrorContext()] {
            for (error, _) in SomeErrors.all {
                let message = error.message(about: topic)
                for text in [message.what, message.next] {
                    let obeyed = text.unicodeScalars.filter { SafeText.escape(for: $0) != nil }
                    #expect(obeyed.isEmpty, "\(error): \(text.debugDescription)")
                }
            }
        }
    }

    /// What a person can only accept; everything else ends with a next step.
    @Test func `a message ends with a next step where there is one`() {
        for (error, _) in SomeErrors.all {
            let next = error.message(about: topic).next
            switch error {
            case .cancelled, .store(.passphraseCancelled), .untrusted(.certificateRejected), .usage(.other(_, [], "")),
                .failure(.other(_, [], "")), .failure(.system):
                #expect(next.isEmpty, "\(error)")
            default:
                #expect(!next.isEmpty, "\(error)")
            }
        }
    }

    @Test func `a locked account is called locked`() {
        #expect(LoginFault.forbidden(Refusal(status: 423)).message(about: topic).what.hasSuffix("locked (status 423)"))
        #expect(LoginFault.forbidden(Refusal(status: 403)).message(about: topic).what.contains("no permission"))
    }

    @Test func `what is advised first about a locked file removes nothing`() throws {
        let message = LoginFault.store(.passphraseMissing(path: "/f")).message(about: topic)
        let remove = try #require(message.next.firstRange(of: "remove"))
        let way = try #require(message.next.firstRange(of: "terminal"))
        #expect(message.details.isEmpty && way.lowerBound < remove.lowerBound)
    }

    @Test func `without a profile a message is about the origin, and without either about nothing`() {
        let error = LoginFault.network(.tooSlow)
        #expect(error.message(about: ErrorContext(profile: "blog")).what.hasPrefix("blog: the transfer"))
        #expect(
            error.message(about: ErrorContext(origin: SomeLogin.origin)).what.hasPrefix(
                "https://blog.example: the transfer"))
        #expect(error.message().what.hasPrefix("the transfer"))
    }

    @Test func `the words for wrong, unreachable, broken and forbidden all differ`() {
        let errors: [LoginFault] = [
            .rejected(Refusal(status: 401)), .network(.connectionLost),
            .busy(BusyFault(status: 500, retryAfter: nil, words: nil)),
            .forbidden(Refusal(status: 403)), .failure(.unexpectedStatus(404, step: "login", words: nil)),
        ]
        let words = errors.map { $0.message(about: topic).what }
        #expect(Set(words).count == words.count)
        #expect(words.filter { $0.contains("login refused") }.count == 1)
    }

    @Test(
        arguments: [
            ([], "check user name and password"), ([.username, .password], "check user name and password"),
            ([.token], "check the token"), ([.password], "check the password"),
        ] as [([CredentialField], String)])
    func `what was refused is what to check`(fields: [CredentialField], words: String) {
        var topic = ErrorContext(profile: "blog")
        topic.fields = fields
        let next = LoginFault.rejected(Refusal(status: 401)).message(about: topic).next
        #expect(next == "\(words), then: authctl login blog")
    }

    @Test func `another authority is named only where the authority is what is wrong`() {
        for reason in ServerTrust.Reason.allCases {
            let trust = ServerTrust(
                origin: SomeLogin.origin, reasons: [reason], subject: "CN = a", issuer: "CN = b", notBefore: 0,
                notAfter: 1,
                fingerprint: SomeLogin.trust.fingerprint, key: "k")
            let next = LoginFault.untrusted(.certificate(trust)).message(about: topic).next
            #expect(
                next.contains("ca-file") == [.selfSigned, .unknownAuthority].contains(reason), "\(reason): \(next)")
        }
    }

    @Test func `where both may be meant, both readings are named`() {
        let message = LoginFault.rejected(Refusal(status: 401, mayMeanForbidden: true)).message(about: topic).what
        #expect(message.contains("or the account is blocked"))
        let told = Refusal(status: 401, words: "Your password has expired", mayMeanForbidden: true)
        #expect(!LoginFault.rejected(told).message(about: topic).what.contains("blocked"))
    }

    @Test func `the server's words are quoted behind our own`() {
        let message = LoginFault.rejected(Refusal(status: 401, words: "say \"hi\"")).message(about: topic).what
        #expect(message.hasSuffix("; the server says \"say \\\"hi\\\"\""))
    }

    @Test func `what is missing is listed with every way to give it`() {
        let need = LoginNeed(why: .nothingStored, missing: [.username, .password])
        let message = LoginFault.loginRequired(need).message(about: topic)
        for way in [
            "-u NAME", "AUTHCTL_USERNAME", "--password-stdin", "--password-file FILE", "--password-command CMD",
            "AUTHCTL_PASSWORD_FILE", "AUTHCTL_PASSWORD",
        ] {
            #expect(message.details.contains { $0.contains(way) })
        }
        #expect(message.next == "at a terminal: authctl login blog")
    }

    @Test func `a 4xx at login that no rule names proposes the rule`() {
        let next = { (status: Int, step: String) in
            LoginFault.failure(.unexpectedStatus(status, step: step, words: nil)).message(about: topic).next
        }
        #expect(next(403, "login").contains("refused = [403] for a wrong login"))
        #expect(next(422, "login").contains("forbidden = [422] for an account without permission"))
        for (status, step) in [(404, "login"), (405, "login"), (408, "login"), (403, "logout")] {
            #expect(next(status, step).contains("refused") == false, "\(status) at \(step)")
        }
    }

    @Test func `how long to wait is told`() {
        let fault = BusyFault(status: 429, retryAfter: 30, words: nil)
        #expect(LoginFault.busy(fault).message(about: topic).next == "try again in 30 seconds")
        let absurd = BusyFault(status: 429, retryAfter: .max, words: nil)
        #expect(LoginFault.busy(absurd).message(about: topic).next == "try again much later")
    }

    @Test(arguments: [
        "a:CANARY@h.example", "https:/a:CANARY@h.example", "http//a:CANARY@h.example", "https://a:CANARY@h.example/",
        "https://a:CANARY/@x@h.example",
    ])
    func `no message repeats what stands before an @`(text: String) {
        let faults: [UsageFault] = [
            .unknownProfile(name: text, near: []), .badURL(url: text, problem: "p"), .missingScheme(host: text),
        ]
        for fault in faults {
            let message = LoginFault.usage(fault).message()
            #expect(!"\(message)".contains("CANARY") && message.what.contains("@h.example"))
        }
        let next = LoginFault.usage(.missingScheme(host: text)).message().next
        #expect(next.hasPrefix("did you mean https://h.example"))
    }

    @Test(arguments: [
        ("h.example/x", "https://h.example/x"), ("https:/h/x", "https://h/x"), ("http//h", "https://h"),
        ("https:h", "https://h"), ("127.0.0.1:8765/me", "http://127.0.0.1:8765/me"), ("localhost", "http://localhost"),
        ("localhost.example", "https://localhost.example"), ("127.evil.example", "https://127.evil.example"),
        ("ann:pw@127.0.0.1", "http://127.0.0.1"), ("[::1]:8765/me", "'http://[::1]:8765/me'"),
        ("[2001:db8::1]", "'https://[2001:db8::1]'"),
    ])
    func `a URL without a scheme is proposed with one`(text: String, proposal: String) {
        let next = LoginFault.usage(.missingScheme(host: text)).message().next
        #expect(next == "did you mean \(proposal)?")
    }
}
