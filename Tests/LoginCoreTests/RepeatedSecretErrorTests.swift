@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// What is left of an error whose words repeat a secret of the run.
struct RepeatedSecretErrorTests {
    private static let said = "wrong password hunter22 for ann"
    private static let unsaid = "wrong password"

    private var secrets: RepeatedSecrets {
        var secrets = RepeatedSecrets()
        secrets.add([Secret("hunter22")], username: "ann")
        return secrets
    }

    /// Each error that can hold words of a server, made of these words, and how it is without them.
    private static let errors: [(with: @Sendable (String) -> LoginFault, without: LoginFault)] = [
        ({ .rejected(refusal($0)) }, .rejected(refusal(nil))),
        ({ .forbidden(refusal($0)) }, .forbidden(refusal(nil))),
        ({ .secondFactor(.required(words: $0)) }, .secondFactor(.required(words: nil))),
        ({ .secondFactor(.refused(refusal($0))) }, .secondFactor(.refused(refusal(nil)))),
        ({ .secondFactor(.notDescribed(words: $0)) }, .secondFactor(.notDescribed(words: nil))),
        (
            { .busy(BusyFault(status: 503, retryAfter: 7, words: $0)) },
            .busy(BusyFault(status: 503, retryAfter: 7, words: nil))
        ),
        (
            { .oauth(.refused(OAuthRefusal(.invalidGrant, at: .refresh, status: 400, words: $0))) },
            .oauth(.refused(OAuthRefusal(.invalidGrant, at: .refresh, status: 400)))
        ),
        (
            { .failure(.unexpectedStatus(404, step: "login", words: $0)) },
            .failure(.unexpectedStatus(404, step: "login", words: nil))
        ),
        (
            { .failure(.redirected(step: "login", status: 302, target: $0)) },
            .failure(.redirected(step: "login", status: 302, target: "…"))
        ),
        ({ .failure(.other($0)) }, .failure(.other("the response cannot be used; it repeats a secret"))),
        ({ .untrusted(.otherOrigin(target: $0)) }, .untrusted(.otherOrigin(target: "…"))),
        ({ .untrusted(.unclearRedirect(target: $0)) }, .untrusted(.unclearRedirect(target: "…"))),
        (
            { .untrusted(.formElsewhere(page: "/in", target: $0)) },
            .untrusted(.formElsewhere(page: "/in", target: "…"))
        ),
        (
            { .untrusted(.formElsewhere(page: $0, target: "/out")) },
            .untrusted(.formElsewhere(page: "…", target: "/out"))
        ),
        ({ .network(.brokenResponse($0)) }, .network(.brokenResponse("…"))),
        (
            { .oauth(.unusableResponse(.refresh, $0)) },
            .oauth(.unusableResponse(.refresh, "it repeats a secret"))
        ),
        (
            { .untrusted(.weakerMethod(offered: ["Digest", $0], accepted: [.basic])) },
            .untrusted(.weakerMethod(offered: ["Digest", "…"], accepted: [.basic]))
        ),
    ]

    private static func refusal(_ words: String?) -> Refusal {
        Refusal(status: 401, words: words, mayMeanForbidden: true)
    }

    @Test(arguments: errors.indices) func `an error that repeats a secret loses its words, and keeps all other facts`(
        index: Int
    ) {
        let (with, without) = Self.errors[index]
        #expect(with(Self.said).without(secrets) == without)
        #expect(with(Self.said).without(secrets).exitCode == with(Self.said).exitCode)
    }

    @Test(arguments: errors.indices) func `an error without a secret in it is not changed`(
        index: Int
    ) {
        let with = Self.errors[index].with
        #expect(with(Self.unsaid).without(secrets) == with(Self.unsaid))
        #expect(with(Self.said).without(RepeatedSecrets()) == with(Self.said))
    }

    @Test func `no error of all there are changes where its words are none of the secret's`() {
        for (error, _) in SomeErrors.all { #expect(error.without(secrets) == error, "\(error)") }
    }

    @Test func `a pair that was sent as Basic is repeated as such, and so is a secret that was encoded alone`() {
        #expect(secrets.stand(in: "no: YW5uOmh1bnRlcjIy"))
        #expect(secrets.stand(in: "no: aHVudGVyMjI="))
        var other = RepeatedSecrets()
        other.add([Secret("xy")], username: "bob")
        #expect(other.stand(in: "no: Ym9iOnh5") && !other.stand(in: "no: YW5uOnh5"))
        other.add([Secret("hunter22")], username: "bob")
        #expect(other.stand(in: "no: YW5uOmh1bnRlcjIy"))
    }

    @Test func `what another run has to hide is hidden, too, and once`() {
        var both = RepeatedSecrets(), other = RepeatedSecrets()
        other.add([Secret("t0k-123"), nil, Secret("")])
        #expect(!both.stand(in: "") && !other.stand(in: ""))
        both.add(secrets)
        both.add(other)
        #expect(both.stand(in: "t0k-123") && both.stand(in: "hunter22") && !other.stand(in: "hunter22"))
        let before = both
        both.add(other)
        both.add([Secret("t0k-123")])
        #expect(both == before)
    }
}
