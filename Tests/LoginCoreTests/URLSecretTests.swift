@testable import LoginKit
import Testing

/// Secrets that stand in URLs, and are not shown.
struct URLSecretTests {
    @Test(arguments: [
        ("http://user:PW@proxy.example:3128", "http://***@proxy.example:3128"),
        ("see https://a:b@h/x, or https://c@i", "see https://***@h/x, or https://***@i"),
        ("https://h/@ann", "https://h/@ann"), ("mail ann@h", "mail ann@h"),
        ("/me?access_token=abc&x=1", "/me?access_token=***&x=1"),
        ("https://h/a?x=1&api-key=abc#part", "https://h/a?x=1&api-key=***#part"),
        ("run: authctl login 'https://h/?token=abc' next", "run: authctl login 'https://h/?token=***' next"),
        ("//u:PW@h/", "//***@h/"), ("http://h/x#access_token=abc", "http://h/x#access_token=***"),
        ("?X-Amz-Signature=00&KEY=1", "?X-Amz-Signature=***&KEY=***"),
        ("/x?meta=tokens&type=token&monkey=1", "/x?meta=tokens&type=token&monkey=1"),
        ("?token={token}&sig=*&key=&secret", "?token={token}&sig=***&key=&secret"), ("", ""),
    ])
    func `user information and members that are named like a secret are left out`(text: String, shown: String) {
        #expect(text.withoutURLSecrets == shown)
    }

    @Test func `a message repeats no secret of a URL`() {
        let fault = LoginFault.usage(.verifyProvesNothing(url: "https://h/me?access_token=canary"))
        let message = fault.message()
        #expect(message.what.contains("https://h/me?access_token=*** accepts"), "\(message.what)")
        #expect(!message.next.contains("canary"))
    }
}
