import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Signatures of assertions, by the examples of the RFCs. `A machine` has libraries of others verify every algorithm.
struct `A key that signs` {
    /// libcurl brings libcrypto.
    init() throws { _ = try URLParser() }

    @Test func `gives the RS256 signature of RFC 7515, appendix A.2`() throws {
        let key = try SigningKey(pem: Secret(Self.rsa), passphrase: nil)
        let input =
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        #expect(key.algorithm == "RS256")
        #expect(
            try key.sign(Secret(input)).base64URL.unprotectedText
                == """
                cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9\
                uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB\
                _eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq\
                Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """)
    }

    @Test func `gives the EdDSA signature of RFC 8037, appendix A.4, and the thumbprint of A.3`() throws {
        let key = try SigningKey(pem: Secret(Self.ed25519), passphrase: nil)
        let input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
        #expect(
            try key.sign(Secret(input)).base64URL.unprotectedText
                == "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
        #expect(try key.publicKey().kid == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    /// A signature of ECDSA is another one each time.
    @Test func `reads the key of RFC 7515, appendix A.3, and signs with it as long as there`() throws {
        let key = try SigningKey(pem: Secret(Self.p256), passphrase: nil)
        let known = try key.publicKey()
        #expect(known.x == "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        #expect(known.y == "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        let input =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let signatures = try (0..<2).map { _ in try key.sign(Secret(input)).base64URL.unprotectedText }
        // R and S, 32 bytes each.
        #expect(key.algorithm == "ES256" && Set(signatures).count == 2 && signatures.allSatisfy { $0.count == 86 })
    }

    @Test(arguments: ["RSA:1024", "EC:secp521r1", "X25519"])
    func `is refused where it is of another kind, or too short`(kind: String) throws {
        let words = kind.split(separator: ":").map(String.init)
        let option =
            words.count < 2
            ? [] : ["-pkeyopt", words[0] == "RSA" ? "rsa_keygen_bits:\(words[1])" : "ec_paramgen_curve:\(words[1])"]
        let pem = try Command.tool("openssl", ["genpkey", "-algorithm", words[0]] + option).output
        #expect(throws: SigningKey.Fault.unsuitable) { try SigningKey(pem: Secret(pem), passphrase: nil) }
    }

    /// Of five primes, which are made in seconds: two take a minute.
    @Test(Thoroughness.isNeeded) func `signs with RSA of any size up to the largest, and names its modulus`() throws {
        let pem = try Command.tool(
            "openssl",
            [
                "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:8200", "-pkeyopt", "rsa_keygen_primes:5",
            ]
        ).output
        let key = try SigningKey(pem: Secret(pem), passphrase: nil)
        #expect(try key.sign(Secret("x")).count == 1025)
        #expect(key.member("n")?.count == 1367)
    }

    @Test func `is opened by its passphrase alone`() throws {
        let pem = try Command.tool(
            "openssl",
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes256", "-pass", "pass:horse"]
        ).output
        #expect(throws: SigningKey.Fault.locked) { try SigningKey(pem: Secret(pem), passphrase: nil) }
        #expect(throws: SigningKey.Fault.wrongPassphrase) { try SigningKey(pem: Secret(pem), passphrase: Secret("x")) }
        #expect(try SigningKey(pem: Secret(pem), passphrase: Secret("horse")).algorithm == "ES256")
        #expect(throws: SigningKey.Fault.missing) { try SigningKey(pem: Secret("no key"), passphrase: nil) }
    }

    private static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----
        """

    private static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        -----END PRIVATE KEY-----
        """

    private static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
        jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
        aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
        juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
        ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
        toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
        VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
        PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
        O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
        kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
        XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
        4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
        pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
        0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
        lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
        kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
        rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
        kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
        5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
        9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
        evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
        yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
        OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
        tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
        ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
        03k2+ZQwVK0JKSHuLFkuQ3U=
        -----END PRIVATE KEY-----
        """
}
