import Foundation
@testable import LoginTestSupport
import Testing

/// The recipes of UNATTENDED USE without a secret, each read from the page and run as it is written.
@Suite(.onOwnThreads, RealServer.requirePackage("authlib"), RealServer.requirePython("yaml"))
struct `Unattended use without a secret` {
    private let issuer: MachineIssuer
    private let place: Workplace
    private static let key = "grant = 'client-credentials', client-id = 'nightly', client-auth = 'private-key-jwt'"

    init() throws {
        place = try Workplace()
        let key = try place.authctl.run("key", "new", place.authctl.folder + "/nightly.pem")
        issuer = try MachineIssuer([.key("nightly", key.output)], lifetime: 3)
        try place.authctl.home.write(
            "#!/bin/sh\ncurl -fsS \"$AUTHCTL_SERVE_URL\"me; env | grep -c ID_TOKEN\n", to: "checkout/deploy",
            mode: 0o755)
    }

    private func configure(_ identity: String) throws {
        try place.authctl.home.write(
            issuer.profile("deploy", "grant = 'token-exchange', identity = \(identity)", "persist = \"none\""),
            to: "checkout/ci/authctl.toml")
    }

    private func bash(_ script: String, _ environment: [String: String]) throws -> CommandResult {
        let usual = ["PATH": place.path, "HOME": place.authctl.folder]
        return try place.shell(
            "/bin/bash", ["-ec"], script, usual.merging(environment) { $1 }, in: place.authctl.folder + "/checkout")
    }

    @Test func `GitHub Actions: the identity of the job logs in, and its command does not get it`() throws {
        try configure("{ github-actions = 'deploys' }")
        let job = try #require(try place.yaml(place.recipe("GitHub Actions", 1)) as? [String: Any])
        #expect(job["permissions"] as? [String: String] == ["id-token": "write"])
        let step = try #require((job["steps"] as? [[String: Any]])?.first)
        let variables = try #require(step["env"] as? [String: String])
        let script = try #require(step["run"] as? String)
        let run = try bash(script, variables.merging(issuer.jobEnvironment) { $1 })
        #expect(run.output.contains("repo:corp/app:ref:refs/heads/main") && run.output.hasSuffix("0\n"), "\(run.error)")
        #expect(try bash(script, variables).code == 104)
    }

    @Test func `GitLab CI: the token of the job logs in`() throws {
        try configure("{ env = \"ID_TOKEN\" }")
        let jobs = try #require(try place.yaml(place.recipe("GitLab CI", 1)) as? [String: [String: Any]])
        let job = try #require(jobs["deploy"]), lines = try #require(job["script"] as? [String])
        let id = "test\(UInt32.random(in: 0...UInt32.max))"
        defer { try? FileManager.default.removeItem(atPath: "/dev/shm/job-\(id)") }
        var variables = try #require(job["variables"] as? [String: String])
        variables = variables.mapValues { $0.replacing("$CI_JOB_ID", with: id) }
        variables["ID_TOKEN"] = try String(contentsOfFile: issuer.identityFile, encoding: .utf8)
        let run = try bash("set -o pipefail\n" + lines.joined(separator: "\n"), variables)
        #expect(
            run.output.contains("system:serviceaccount:default:deploy") && run.output.hasSuffix("0\n"), "\(run.error)")
    }

    /// Debian 12's kubectl is 1.20, which knows v1beta1 alone, and no `interactiveMode`.
    @Test(Thoroughness.isNeeded, RealServer.require("kubectl"))
    func `Kubernetes: kubectl takes the token of a login, and the next one when that has ended`() throws {
        let recipe = try place.recipe("Kubernetes").replacing("k8s.io/v1\n", with: "k8s.io/v1beta1\n")
            .replacing("      interactiveMode: Never\n", with: "")
        try withCluster(recipe) { (environment) in
            let script = "kubectl get --raw /me && sleep 4 && kubectl get --raw /me"
            let run = try place.shell("/bin/bash", ["-ec"], script, environment)
            #expect(run.output.components(separatedBy: "\"name\": \"nightly\"").count == 3, "\(run.output)\(run.error)")
        }
        #expect(issuer.requests.count == 2)
    }

    @Test(Thoroughness.isNeeded, RealServer.requirePython("kubernetes"))
    func `Kubernetes: its client for Python takes the token in the first version, as the recipe is written`() throws {
        let recipe = try place.recipe("Kubernetes")
        #expect(recipe.contains("k8s.io/v1\n"))
        try withCluster(recipe) { (environment) in
            let script = """
                from kubernetes import client, config
                config.load_kube_config()
                print(client.ApiClient().call_api("/me", "GET", auth_settings=["BearerToken"], response_type="object")[0]["name"])
                """
            let run = try place.shell("/usr/bin/python3", ["-c"], script, environment)
            #expect(run.output == "nightly\n", "\(run.output)\(run.error)")
        }
    }

    /// Runs `body` with the variables of somebody whose kubeconfig has the recipe, for a cluster whose API is the service.
    private func withCluster(_ recipe: String, _ body: ([String: String]) throws -> Void) throws {
        try String(contentsOfFile: place.config, encoding: .utf8).appending(
            "\n" + issuer.profile("cluster", "\(Self.key), key-file = '\(place.authctl.folder)/nightly.pem'")
        ).write(toFile: place.config, atomically: true, encoding: .utf8)
        // Clients use credentials over TLS alone.
        let front = try TLSFront(to: try #require(Int(issuer.service.split(separator: ":").last ?? "")))
        let file = try place.authctl.file(
            "kubeconfig",
            """
            apiVersion: v1
            kind: Config
            current-context: here
            clusters: [{ name: here, cluster: { server: "https://127.0.0.1:\(front.port)", certificate-authority: "\(front.certificate)" } }]
            contexts: [{ name: here, context: { cluster: here, user: ann } }]
            \(recipe)
            """)
        try body(place.authctl.environment.merging(["PATH": place.path, "KUBECONFIG": file]) { $1 })
    }
}
