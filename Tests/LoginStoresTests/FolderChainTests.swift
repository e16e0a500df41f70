import Foundation
@testable import LoginKit
import Secrets
import Testing

/// Every folder above the one that secrets are in.
struct FolderChainTests {
    private let folder = TemporaryFolder()
    private var deep: String { "\(folder.parent)/a/b/state" }

    private func shell(_ script: String) throws {
        #expect(try Program.run(["sh", "-c", "cd \(folder.parent) && \(script)"]).status == 0)
    }

    private func problem(_ body: () throws(StoreFault) -> Void) -> (path: String, problem: String)? {
        do throws(StoreFault) {
            try body()
            return nil
        } catch .unsafeFile(let path, let problem) {
            return (path, problem)
        } catch {
            return ("", "\(error)")
        }
    }

    @Test(arguments: ["chmod 777 a", "chmod 777 ."])
    func `a folder far above in which others may rename is refused, before anything is made there`(change: String)
        throws
    {
        try shell("mkdir -p -m 700 a a/b && \(change)")
        let store = PlaintextStore(folder: deep)
        let seen = problem { () throws(StoreFault) in try store.save(Secret("x"), for: .some(), expires: nil) }
        #expect(seen?.problem.contains("other users can write there") == true, "\(String(describing: seen))")
        #expect(!FileManager.default.fileExists(atPath: deep))
        // Where only owners rename, nobody puts another in its place.
        try shell("chmod 1777 a .")
        #expect(problem { () throws(StoreFault) in try store.save(Secret("x"), for: .some(), expires: nil) } == nil)
    }

    @Test func `a store that was there before is not read either`() throws {
        let store = PlaintextStore(folder: deep)
        try store.save(Secret("x"), for: .some(), expires: nil)
        try shell("chmod 777 a")
        let seen = problem { () throws(StoreFault) in _ = try store.find(.some()) }
        #expect(seen?.path == "\(folder.parent)/a")
    }

    @Test(.enabled(if: Need.root, "only root can give a folder away"), arguments: ["a", "."])
    func `a folder far above that belongs to somebody else is refused`(supplied: String) throws {
        try PlaintextStore(folder: deep).save(Secret("x"), for: .some(), expires: nil)
        try shell("chown 54321 \(supplied)")
        let seen = problem { () throws(StoreFault) in _ = try PlaintextStore(folder: deep).find(.some()) }
        #expect(seen?.problem.contains("belongs to another user, uid 54321") == true)
    }

    private func find() -> (path: String, problem: String)? {
        problem { () throws(StoreFault) in _ = try PlaintextStore(folder: deep).find(.some()) }
    }

    @Test(.enabled(if: Need.root, "only root can give a folder away"))
    func `A folder that a group may write into is refused unless the group is the user's own`() throws {
        try PlaintextStore(folder: deep).save(Secret("x"), for: .some(), expires: nil)
        // The private group of root, as a umask of 002 has it.
        try shell("chmod 775 a")
        #expect(find() == nil)
        try shell("chgrp 54321 a")
        #expect(find()?.problem.contains("other users can write there") == true)
    }

    @Test(.enabled(if: Need.root, "only root can give a folder away"))
    func `A link of another user in a sticky folder is not followed`() throws {
        try shell("mkdir -m 700 real && mkdir -m 1777 shared && ln -s ../real shared/link")
        let store = PlaintextStore(folder: "\(folder.parent)/shared/link/state")
        try store.save(Secret("x"), for: .some(), expires: nil)
        try shell("chown -h 54321 shared/link")
        let seen = problem { () throws(StoreFault) in _ = try store.find(.some()) }
        #expect(seen?.path == "\(folder.parent)/shared/link")
        #expect(seen?.problem.contains("symbolic link of another user, uid 54321") == true)
    }

    @Test func `Each folder on the way through several links is looked at`() throws {
        try shell("mkdir -m 700 one two real && ln -s ../two/link one/link && ln -s ../real two/link")
        let store = PlaintextStore(folder: "\(folder.parent)/one/link/state")
        try store.save(Secret("x"), for: .some(), expires: nil)
        for name in ["one", "two", "real"] {
            try shell("chmod 777 \(name)")
            let seen = problem { () throws(StoreFault) in _ = try store.find(.some()) }
            #expect(seen?.path.hasSuffix("/\(name)") == true, "\(name): \(String(describing: seen))")
            try shell("chmod 700 \(name)")
        }
        #expect(problem { () throws(StoreFault) in _ = try store.find(.some()) } == nil)
    }

    @Test func `A loop of links ends`() throws {
        try shell("ln -s loop loop")
        let seen = problem { () throws(StoreFault) in
            _ = try PlaintextStore(folder: "\(folder.parent)/loop/state").find(.some())
        }
        #expect(seen != nil)
    }

    @Test(.enabled(if: Need.root, "only root can give a folder away"))
    func `a symlink is checked on its own side and on its target's`() throws {
        try shell("mkdir -m 700 real real/b links && ln -s ../real/b links/b")
        let store = PlaintextStore(folder: "\(folder.parent)/links/b/state")
        try store.save(Secret("x"), for: .some(), expires: nil)
        for supplied in ["real", "links"] {
            try shell("chown 54321 \(supplied)")
            let seen = problem { () throws(StoreFault) in _ = try store.find(.some()) }
            #expect(seen?.path == "\(folder.parent)/\(supplied)", "\(supplied)")
            try shell("chown 0 \(supplied)")
        }
    }
}
