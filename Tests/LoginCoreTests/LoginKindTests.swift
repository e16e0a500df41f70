@testable import LoginKit
import Secrets
import Testing

/// How the logins of a profile work, as its methods and its requests say.
struct LoginKindTests {
    private func kind(_ methods: [AuthenticationMethod], login: Bool = false) -> LoginKind {
        let verify = RequestRule(method: "GET", path: Template(literal: "/me"))
        var profile = Profile(name: "p", url: "https://p.example", methods: methods, verify: verify)
        if login { profile.login = RequestRule(method: "POST", path: Template(literal: "/login")) }
        return profile.kind
    }

    @Test(arguments: [true, false]) func `HTTP authentication is one kind, with or without a login request`(login: Bool)
    {
        #expect(kind([.auto], login: login) == .challenge([]))
        #expect(kind([.negotiate], login: login) == .challenge([.negotiate]))
        #expect(kind([.digest, .basic], login: login) == .challenge([.digest, .basic]))
        #expect(kind([.certificate], login: login) == .certificate)
    }

    @Test func `a token is pasted where no request earns one`() {
        #expect(kind([.token]) == .pasted)
        #expect(kind([.token], login: true) == .exchange(for: .token))
        #expect(kind([.cookie], login: true) == .exchange(for: .cookies))
    }

    @Test func `a profile that names no scheme accepts each, one that names some accepts those`() {
        #expect(HTTPScheme.allCases.allSatisfy(LoginKind.challenge([]).accepts))
        let named = LoginKind.challenge([.digest, .basic])
        #expect(HTTPScheme.allCases.filter(named.accepts) == [.digest, .basic])
        for other in [LoginKind.exchange(for: .cookies), .exchange(for: .token), .pasted, .certificate] {
            #expect(!HTTPScheme.allCases.contains(where: other.accepts))
        }
    }

    @Test func `each scheme is a method, and of the methods only those are schemes`() {
        #expect(HTTPScheme.allCases.map(\.method).map { HTTPScheme($0) } == HTTPScheme.allCases)
        #expect(
            AuthenticationMethod.allCases.filter { HTTPScheme($0) == nil }
                == [.auto, .certificate, .cookie, .token, .oauth, .browser])
    }

    @Test func `what must not be seen of a credential is its secret, whichever kind it is`() {
        let secret = Secret("s")
        for kind in [Credential.Kind.password(secret), .token(secret), .certificate(passphrase: secret)] {
            #expect(Session.credential(Credential(username: "ann", kind)).secrets == [secret])
        }
        for kind in [Credential.Kind.ticket, .noSecret, .certificate(passphrase: nil)] {
            #expect(Session.credential(Credential(username: "ann", kind)).secrets.isEmpty)
        }
    }
}
