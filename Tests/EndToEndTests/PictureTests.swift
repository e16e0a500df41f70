import Foundation
@testable import LoginTestSupport
import Testing

/// The picture in README is drawn from a run of authctl (scripts/picture), and stays one.
@Suite(.onOwnThreads, Thoroughness.isNeeded) struct `The picture in README` {
    private static let picture = Repository.path + "/docs/session.svg"

    @Test(RealServer.requirePython("pyte"), RealServer.requirePython("pexpect"), RealServer.require("jq"))
    func `the picture in README is what authctl shows: otherwise draw it again`() throws {
        let home = try TemporaryHome(), file = home.path + "/session.svg"
        let programs = [try BuiltProducts.path(of: "authctl"), try BuiltProducts.path(of: "demo-backend")]
        let drawn = try Command.run(
            ChildSpec(Repository.path + "/scripts/picture", programs + [file], environment: home.environment))
        #expect(drawn.code == 0, "\(drawn.error)")
        let now = try home.read("session.svg").components(separatedBy: "\n")
        let then = try String(contentsOfFile: Self.picture, encoding: .utf8).components(separatedBy: "\n")
        for difference in now.difference(from: then) {
            Issue.record("run scripts/picture \(programs.joined(separator: " ")): \(difference)")
        }
    }

    @Test func `the picture in README is small, needs nothing from elsewhere, and README shows it`() throws {
        let text = try String(contentsOfFile: Self.picture, encoding: .utf8)
        #expect(text.utf8.count < 30_000)
        for outside in ["href", "url(", "@import", "<script", "<image"] {
            #expect(!text.contains(outside), "\(outside)")
        }
        let readme = try String(contentsOfFile: Repository.path + "/README.md", encoding: .utf8)
        #expect(readme.prefix(2000).contains("(docs/session.svg)"))
    }
}
