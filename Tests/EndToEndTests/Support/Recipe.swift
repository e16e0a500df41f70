import Foundation
@testable import LoginTestSupport
import Testing

/// The recipes of the manual, as they stand in a page: by default those of UNATTENDED USE in authctl(1).
enum Recipe {

    struct NoSuchRecipe: Error {
        let section: String
    }

    /// The literal displays of a section, in order, without mdoc's escapes.
    static func texts(
        of section: String, in page: String = "authctl.1", chapter: String = "UNATTENDED USE"
    ) throws -> [String] {
        guard let texts = try all(in: page, chapter: chapter)[section] else { throw NoSuchRecipe(section: section) }
        return texts
    }

    /// By section.
    static func all(
        in page: String = "authctl.1", chapter: String = "UNATTENDED USE"
    ) throws -> [String: [String]] {
        let lines = try String(contentsOfFile: Repository.path + "/man/" + page, encoding: .utf8)
            .components(separatedBy: "\n")
        var recipes: [String: [String]] = [:], isChapter = false, section = "", display: [String]?
        for line in lines {
            if line.hasPrefix(".Sh ") { (isChapter, section) = (line == ".Sh " + chapter, "") }
            guard isChapter else { continue }
            if line.hasPrefix(".Ss ") { section = String(line.dropFirst(4)) }
            if line.hasPrefix(".Bd ") {
                display = []
            } else if line == ".Ed", let text = display {
                recipes[section, default: []].append(text.joined(separator: "\n") + "\n")
                display = nil
            } else {
                display?.append(plain(line))
            }
        }
        return recipes
    }

    private static func plain(_ line: String) -> String {
        [("\\(aq", "'"), ("\\(dq", "\""), ("\\e", "\\")].reduce(line) { $0.replacing($1.0, with: $1.1) }
    }
}

/// Where the recipes run: the profile `blog` of a demo server, and in a folder of programs `authctl` and jobs that say whose login
/// they have. A recipe is changed in two things: ada is `ann` here, and `/usr/local/bin` is that folder.
final class Workplace {
    let demo: DemoBackendProcess
    let authctl: Installation
    let programs: String

    static let secret = "correct horse"
    private static let job = """
        #!/bin/sh
        echo "${0##*/} runs as $AUTHCTL_USERNAME"
        env | grep -q horse && echo "and sees the password"
        test -z "$AUTHCTL_CURL_CONFIG" || exec curl -fsS -o /dev/null -K "$AUTHCTL_CURL_CONFIG" -d x "$AUTHCTL_ORIGIN/posts"
        exit 0
        """

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(config: demo.blogWithLogout, store: nil)
        programs = authctl.folder + "/bin"
        for name in ["deploy", "backup", "upload"] {
            try authctl.home.write(Self.job, to: "bin/\(name)", mode: 0o755)
        }
        try FileManager.default.createSymbolicLink(atPath: programs + "/authctl", withDestinationPath: authctl.program)
    }

    var config: String { authctl.folder + "/config/authctl/config.toml" }
    var path: String { programs + ":/usr/bin:/bin" }

    /// How many posts ann has made: what a job that was logged in leaves.
    func posts() throws -> Int {
        try demo.requests().count { $0.path == "/posts" && $0.status == 201 && $0.who == "ann" }
    }

    /// A recipe of the page with this place's names.
    func recipe(_ section: String, _ index: Int = 0) throws -> String {
        let texts = try Recipe.texts(of: section)
        guard texts.indices.contains(index) else { throw Recipe.NoSuchRecipe(section: "\(section) \(index)") }
        return texts[index].replacing(/\bada\b/, with: "ann").replacing("/usr/local/bin", with: programs)
    }

    /// YAML as PyYAML reads it.
    func yaml(_ text: String) throws -> Any {
        let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
        let python = try #require(
            ["/usr/bin/python3", RealServer.path(of: "python3") ?? ""].first { python in
                (try? Command.run(ChildSpec(python, ["-c", "import yaml"])))?.code == 0
            })
        let read = try Command.run(ChildSpec(python, ["-c", script]), input: Array(text.utf8))
        guard read.code == 0 else { throw Unexpected(result: read) }
        return try JSONSerialization.jsonObject(with: Data(read.outputBytes))
    }

    /// What a shell does with a script, in an environment that has nothing else.
    func shell(
        _ shell: String, _ options: [String], _ script: String, _ environment: [String: String],
        in folder: String? = nil, input: String = ""
    ) throws -> CommandResult {
        try Command.run(
            ChildSpec(shell, options + [script], environment: environment, directory: folder ?? authctl.folder),
            input: Array(input.utf8))
    }
}
