import Foundation
@testable import LoginTestSupport
import Testing

/// The recipes of UNATTENDED USE in authctl(1), each read from the page and run as it is written.
@Suite(.onOwnThreads) struct `Unattended use` {
    let place: Workplace

    init() throws {
        place = try Workplace()
    }

    private func count(_ path: String, status: Int? = nil) throws -> Int {
        try place.demo.requests().count { $0.path == path && (status == nil || $0.status == status) }
    }

    @Test(RealServer.require("mandoc"), RealServer.require("col"))
    func `what a person copies from the page is what is run here`() throws {
        let roff = try Command.tool("mandoc", ["-T", "utf8", "-O", "width=200", Repository.path + "/man/authctl.1"])
        let page = try Command.tool("col", ["-bx"], input: roff.outputBytes).output
        let lines = Set(page.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let recipes = try Recipe.all()
        // Those of programs that ask for a credential were tried by hand: they need other registries, keys or services.
        let triedByHand: Set = ["Key commands", "pip and uv", "npm and cargo", "Python", "make"]
        #expect(triedByHand.isSubset(of: recipes.keys) && recipes.count == 11 + triedByHand.count, "\(recipes.keys)")
        for line in recipes.values.joined().flatMap({ $0.components(separatedBy: "\n") }) {
            #expect(lines.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
        }
    }

    // --- Without exec

    /// With the profile in the usual place, in a folder with the post.
    private func runLines(_ section: String, _ password: String, _ change: (String) -> String = { $0 }) throws
        -> CommandResult
    {
        for name in [".blog.password", ".wire.password"] { _ = try place.authctl.file(name, password + "\n") }
        try place.authctl.home.write("{}", to: "post.json")
        let environment = place.authctl.environment.merging(["PATH": place.path]) { $1 }
        return try place.shell("/bin/sh", ["-ec"], change(place.recipe(section)), environment)
    }

    @Test func `one request: has a login of its own, and nothing is left here`() throws {
        let run = try runLines("One request", Workplace.secret)
        #expect(run.code == 0 && run.output.contains("\"author\":\"ann\""), "\(run.output)\(run.error)")
        #expect(try place.posts() == 1 && count("/users/login") == 1)
        #expect(!place.authctl.hasFile("state/authctl/state.json"))
        #expect(try runLines("One request", "wrong").code == 3)
    }

    @Test func `unattended use needs no configuration file: login makes the profile, which the other commands use`()
        throws
    {
        let verify = "/account/verify_credentials.json"
        try FileManager.default.removeItem(atPath: place.config)
        func run(_ password: String) throws -> CommandResult {
            try runLines("Without a configuration file", password) { text in
                // No store of this machine is to be seen by others.
                "export AUTHCTL_STORE=plaintext\n"
                    + text.replacing("https://wire.example", with: place.demo.origin).replacing("/me", with: verify)
            }
        }
        #expect(try run("wrong").code == 3)
        let logged = try run(Workplace.secret)
        #expect(logged.code == 0 && logged.output.contains("\"ann\""), "\(logged.output)\(logged.error)")
        #expect(try place.authctl.run("whoami").code == 4)
    }

    // --- CI

    /// What the runner does with a step (GitHub's "Workflow syntax": `run` without `shell` is `bash -e FILE`).
    private func runStep(password: String) throws -> CommandResult {
        let steps = try #require(try place.yaml(place.recipe("GitHub Actions")) as? [[String: Any]])
        let step = try #require(steps.first), variables = try #require(step["env"] as? [String: String])
        var environment = ["PATH": place.path, "HOME": place.authctl.folder, "CI": "true"]
        environment.merge(variables) { $1 }
        #expect(environment["AUTHCTL_PASSWORD"] == "${{ secrets.BLOG_PASSWORD }}")
        environment["AUTHCTL_PASSWORD"] = password
        let checkout = place.authctl.folder + "/checkout"
        try place.authctl.home.write(
            String(contentsOfFile: place.config, encoding: .utf8), to: "checkout/ci/authctl.toml")
        try place.authctl.home.write("a post", to: "checkout/post.json")
        let file = try place.authctl.file("step.sh", try #require(step["run"] as? String))
        return try place.shell("/bin/bash", ["-e"], file, environment, in: checkout)
    }

    @Test(RealServer.requirePython("yaml")) func `GitHub Actions: the command runs, and nothing is left`() throws {
        let run = try runStep(password: Workplace.secret)
        #expect(run.code == 0 && run.output.contains("\"post\":\"a post\""), "\(run.output)\(run.error)")
        #expect(try place.posts() == 1 && count("/users/logout") == 1)
        #expect(!place.authctl.hasFile(".local") && !place.authctl.hasFile("state/authctl/state.json"))
    }

    @Test(RealServer.requirePython("yaml")) func `GitHub Actions: 103 for a wrong secret, 106 without a network`()
        throws
    {
        let refused = try runStep(password: "wrong")
        #expect(refused.code == 103 && refused.output.isEmpty, "\(refused.error)")
        #expect(try count("/users/login") == 1)
        try FileManager.default.removeItem(atPath: place.authctl.folder + "/checkout")
        place.demo.stop()
        #expect(try runStep(password: Workplace.secret).code == 106)
    }

    /// What the runner does with a job: each part in a bash of its own, with `errexit` and `pipefail`. With docker, the checkout
    /// is made with the file mask 0.
    private func runJob(password: String) throws -> (script: CommandResult, after: CommandResult, memory: String) {
        let jobs = try #require(try place.yaml(place.recipe("GitLab CI")) as? [String: [String: Any]])
        let job = try #require(jobs["deploy"]), id = "test\(UInt32.random(in: 0...UInt32.max))"
        var environment = ["PATH": place.path, "HOME": "/", "BLOG_PASSWORD": password]
        for (name, value) in try #require(job["variables"] as? [String: String]) {
            environment[name] = value.replacing("$CI_JOB_ID", with: id)
        }
        let checkout = place.authctl.folder + "/checkout"
        let prepare = """
            umask 0; mkdir -p \(checkout)/ci; cp --no-preserve=mode \(place.config) \(checkout)/ci/authctl.toml
            chmod 666 \(checkout)/ci/authctl.toml; cp \(place.programs)/deploy \(checkout); echo '{}' > \(checkout)/post.json
            """
        try #require(try place.shell("/bin/bash", ["-ec"], prepare, ["PATH": place.path]).code == 0)
        func part(_ name: String) throws -> CommandResult {
            let lines = try #require(job[name] as? [String])
            let script = "set -eo pipefail\numask 0\n" + lines.joined(separator: "\n")
            return try place.shell("/bin/bash", ["-c"], script, environment, in: checkout)
        }
        return (try part("script"), try part("after_script"), "/dev/shm/job-\(id)")
    }

    @Test(RealServer.requirePython("yaml")) func `GitLab CI: the commands share one login, and nothing is left of it`()
        throws
    {
        let (script, after, memory) = try runJob(password: Workplace.secret)
        defer { try? FileManager.default.removeItem(atPath: memory) }
        #expect(script.code == 0 && script.output.hasSuffix("deploy runs as ann\n"), "\(script.output)\(script.error)")
        #expect(after.code == 0, "\(after.error)")
        #expect(try count("/users/login") == 1 && place.posts() == 1 && count("/users/logout") == 1)
        let kept = try String(contentsOfFile: memory + "/authctl/plaintext.json", encoding: .utf8)
        #expect(kept.contains("\"entries\"") && !kept.contains("secret"), "\(kept)")
    }

    @Test(RealServer.requirePython("yaml")) func `GitLab CI: a wrong password ends the job with 3, at the first line`()
        throws
    {
        let (script, after, memory) = try runJob(password: "wrong")
        defer { try? FileManager.default.removeItem(atPath: memory) }
        #expect(script.code == 3 && script.output.isEmpty, "\(script.error)")
        #expect(after.code == 0, "\(after.error)")
        #expect(try count("/users/login") == 1)
    }

    // --- cron

    private var cronEnvironment: [String: String] {
        ["HOME": place.authctl.folder, "LOGNAME": "ann", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin"]
    }

    /// What cron(8) of Debian does with a crontab: its lines set variables, and a command is run by `/bin/sh -c` with little else.
    private func runCrontab(_ index: Int) throws -> CommandResult {
        let text = try place.recipe("cron", index)
        let file = try place.authctl.file("crontab\(index)", text)
        let checked = try Command.tool("crontab", ["-n", file])
        #expect(checked.code == 0, "\(checked.error)")
        let home = place.authctl.folder
        var environment = cronEnvironment
        for line in text.split(separator: "\n") {
            if let variable = line.wholeMatch(of: /([A-Z]+)=(.*)/) {
                environment[String(variable.1)] = String(variable.2)
            } else {
                let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
                let command = try #require(fields.last).trimmingCharacters(in: .whitespaces)
                return try place.shell("/bin/sh", ["-c"], command, environment, in: home)
            }
        }
        throw Recipe.NoSuchRecipe(section: "cron \(index)")
    }

    /// cron knows only HOME.
    private func settle() throws {
        let config = try String(contentsOfFile: place.config, encoding: .utf8)
        try place.authctl.home.write(config, to: ".config/authctl/config.toml")
    }

    @Test(RealServer.require("crontab")) func `cron: the job has the login that a person set up at a terminal`() throws
    {
        try settle()
        let pty = try Pty(
            ChildSpec(
                "/bin/bash", ["-ec", place.recipe("cron", 0)],
                environment: ["HOME": place.authctl.folder, "PATH": place.path, "TERM": "xterm"]))
        try pty.wait(for: "User name: ")
        pty.type("ann\r")
        try pty.wait(for: "Password: ")
        pty.type(Workplace.secret + "\r")
        #expect(try pty.waitForEnd() == .exited(0), "\(pty.text)")
        #expect(pty.text.contains("Stored in the encrypted file."))
        let run = try runCrontab(1)
        #expect(run.code == 0 && run.output == "backup runs as ann\n" && run.error.isEmpty, "\(run.output)\(run.error)")
        try place.demo.reset()
        let over = try runCrontab(1)
        #expect(over.code == 104 && over.output.isEmpty && over.error.contains("authctl login blog"), "\(over.error)")
    }

    @Test(RealServer.require("crontab"))
    func `cron: a job with a password of its own needs no login before, and leaves none`() throws {
        try settle()
        _ = try place.authctl.file(".blog.password", Workplace.secret + "\n")
        let script = try place.authctl.home.write(place.recipe("cron", 2), to: "bin/report", mode: 0o755)
        func run() throws -> CommandResult {
            // With the PATH of the crontab before it.
            let environment = cronEnvironment.merging(["PATH": place.path]) { $1 }
            return try place.shell("/bin/sh", ["-c"], script, environment)
        }
        let reported = try run()
        #expect(reported.code == 0 && reported.error.isEmpty, "\(reported.output)\(reported.error)")
        #expect(try place.posts() == 1 && count("/users/logout") == 1)
        _ = try place.authctl.file(".blog.password", "wrong\n")
        #expect(try run().code == 103)
    }
}
