import Foundation
import Secrets
import Testing

@testable import LoginKit

/// A secret in a server's words, in whatever form.
struct RepeatedSecretsTests {
    private static let secret = "pä\"ss<w>o&r'd\\ 1\t"

    private var hidden: RepeatedSecrets {
        var hidden = RepeatedSecrets()
        hidden.add([Secret(Self.secret)], username: "ann")
        return hidden
    }

    @Test(arguments: [
        secret, "p%C3%A4%22ss%3Cw%3Eo%26r%27d%5c+1%09", "pä\\\"ss<w>o&r'd\\\\ 1\\t",
        "p\\u00e4\\\"ss\\u003cw\\u003Eo\\u0026r\\u0027d\\\\ 1\\u0009", "pä&quot;ss&lt;w&gt;o&amp;r&#39;d\\ 1\t",
        "p&#xE4;&#34;ss&lt;w&gt;o&amp;r&apos;d\\ 1&#9;", "pä&quot;ss&lt;w&gt;o&amp;r&#x27;d\\\\ 1\\t",
        "p\\xc3\\xa4\\\"ss<w>o&r\\'d\\\\ 1\\t", "70c3a42273733c773e6f26722764" + "5c203109",
        "70C3A42273733C773E6F267227645C203109",
    ])
    func `it is found as text, in URLs, JSON, HTML, both, and in hexadecimal digits`(form: String) {
        #expect(hidden.stand(in: "no user ann with the password <\(form)>."))
    }

    @Test(arguments: [
        "", "no such user", "pä\"ss", "%", "\\", "\\u", "\\ud83d", "&", "&#;", "&#x110000;", "70c3a4", "%zz",
    ])
    func `what does not repeat it may be shown`(text: String) {
        #expect(!hidden.stand(in: text))
    }

    @Test func `a character beyond 16 bits is found in JSON's pairs`() {
        var hidden = RepeatedSecrets()
        hidden.add([Secret("key😀key")])
        #expect(hidden.stand(in: "key\\ud83d\\ude00key"))
    }

    @Test func `a percent-encoded secret is found decoded, too`() {
        var hidden = RepeatedSecrets()
        hidden.add([Secret("key%3D+%2F"), Secret("%41")])
        #expect(hidden.stand(in: "wrong key=+/") && hidden.stand(in: "wrong key%3D+%2F"))
        #expect(!hidden.stand(in: "A wrong key"))
    }

    @Test func `a short secret does not hide every number`() {
        var hidden = RepeatedSecrets()
        hidden.add([Secret("ab")])
        #expect(!hidden.stand(in: "code 6162"))
    }

    /// Behind zero to four bytes, so at every place of a group, with more behind it and without.
    @Test(arguments: 0..<5, ["", "+", "=?>~"]) func `base64 is found wherever its groups begin`(
        before: Int, after: String
    ) {
        let bytes = Array("ÿþ~?>".utf8.prefix(before)) + Array(Self.secret.utf8) + Array(after.utf8)
        let base64 = Data(bytes).base64EncodedString()
        let url = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        for written in [base64, url, base64.replacing("/", with: "\\/"), base64.replacing("+", with: "%2B")] {
            #expect(hidden.stand(in: "X-Seen: \(written)"), "\(written)")
            #expect(hidden.stand(in: written), "\(written)")
        }
        #expect(!hidden.stand(in: "X-Seen: \(Data(bytes.prefix(before + 9)).base64EncodedString())"))
    }

    @Test func `the pair of Basic is found, however short`() {
        var hidden = RepeatedSecrets()
        hidden.add([Secret("b")], username: "a")
        #expect(hidden.stand(in: "Authorization=YTpi;") && !hidden.stand(in: "Authorization=YTpj;"))
    }

    @Test func `a short secret does not hide every encoded text`() {
        var hidden = RepeatedSecrets()
        hidden.add([Secret("abc")])
        #expect(!hidden.stand(in: "ETag: YWJj"))
    }

    @Test func `a header with no run as long as a secret costs no decoding`() {
        #expect(Base64Runs.decoded(Array("Content-Type: text/html".utf8), least: 12).isEmpty)
        #expect(Base64Runs.decoded(Array("YWJj".utf8), least: 3).first == Array("abc".utf8))
        #expect(Base64Runs.decoded([], least: 3).isEmpty)
    }
}
