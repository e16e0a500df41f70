import ArgumentParser
import FoundationEssentials
import LoginKit
import Secrets

/// The JSON that a kubectl credential plugin prints (client.authentication.k8s.io). The token is a `String` here, as JSON needs;
/// it lives only until the line is printed.
struct ExecCredential: Encodable {
    /// A version of the format.
    enum Version: String, ExpressibleByArgument, CaseIterable {
        case v1, v1beta1
        /// The option without a value.
        case unnamed = "asked-for"

        static let allValueStrings = [v1.rawValue, v1beta1.rawValue]
    }

    private let apiVersion: String
    private let kind = "ExecCredential"
    private let status: Status

    private struct Status: Encodable {
        let token: String
        let expirationTimestamp: String?
    }

    /// - Parameter expires: in seconds of Unix time.
    init(version: Version, token: Secret, expires: Int64?) {
        apiVersion = Self.group + (version == .unnamed ? .v1 : version).rawValue
        status = Status(
            token: token.unprotectedText,
            expirationTimestamp: expires.map { Date(timeIntervalSince1970: Double($0)).formatted(.iso8601) })
    }

    fileprivate static let group = "client.authentication.k8s.io/"
    /// The variable in which kubectl says what it wants.
    fileprivate static let variable = "KUBERNETES_EXEC_INFO"
}

extension ExecCredential.Version {
    /// The version that kubectl asks for, else this one.
    func asked(by environment: Environment) throws(LoginFault) -> ExecCredential.Version {
        guard let text = environment.secret(named: ExecCredential.variable) else { return self }
        let info = text.withUnsafeBytes { bytes in try? JSONReader.read(bytes) }
        guard case .string(let name)? = JSONPointer("/apiVersion").flatMap({ info?[$0] }),
            name.hasPrefix(ExecCredential.group),
            let version = ExecCredential.Version(rawValue: String(name.dropFirst(ExecCredential.group.count)))
        else {
            throw .usage(
                .other("\(ExecCredential.variable) names no version that is known here; it has to be v1 or v1beta1"))
        }
        return version
    }

    /// The arguments with the option's value, which may be left out.
    static func completed(_ arguments: [String]) -> [String] {
        guard arguments.first == TokenCommand.outline.commandName else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end].map { $0 == "--exec-credential" ? "\($0)=\(unnamed.rawValue)" : $0 }
            + arguments[end...]
    }
}
