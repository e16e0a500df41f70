import FoundationEssentials
import LoginKit
import Secrets

/// The JSON that a kubectl credential plugin prints (client.authentication.k8s.io). The token is a `String` here, as JSON needs;
/// it lives only until the line is printed.
struct ExecCredential: Encodable {
    private let apiVersion: String
    private let kind = "ExecCredential"
    private let status: Status

    private struct Status: Encodable {
        let token: String
        let expirationTimestamp: String?
    }

    /// - Parameters:
    ///   - expires: in seconds of Unix time.
    ///   - environment: names the version that kubectl asks for; v1 unless it does.
    init(token: Secret, expires: Int64?, environment: Environment) throws(LoginFault) {
        apiVersion = try Self.apiVersion(environment)
        status = Status(
            token: token.unprotectedText,
            expirationTimestamp: expires.map { Date(timeIntervalSince1970: Double($0)).formatted(.iso8601) })
    }

    private static func apiVersion(_ environment: Environment) throws(LoginFault) -> String {
        let variable = "KUBERNETES_EXEC_INFO"
        let known = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]
        guard let text = environment.secret(named: variable) else { return known[0] }
        let info = text.withUnsafeBytes { bytes in try? JSONReader.read(bytes) }
        guard case .string(let name)? = JSONPointer("/apiVersion").flatMap({ info?[$0] }), known.contains(name) else {
            throw .usage("\(variable) names no version that is known here; it has to be v1 or v1beta1")
        }
        return name
    }
}
