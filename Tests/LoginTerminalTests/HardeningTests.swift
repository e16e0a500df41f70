import CProcess
import Foundation
@testable import LoginTestSupport
import Testing

/// What `cprocess_harden` and the wiping allocator promise.
@Suite(.onOwnThreads) struct HardeningTests {
    private static let isRoot = getuid() == 0
    private static let nobody: Int32 = 65534

    @Test func `no core file, and files for the owner alone`() throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        let process = "/proc/\(probe.pty.child.pid)"
        let limits = try String(contentsOfFile: process + "/limits", encoding: .utf8)
        #expect(limits.contains(try Regex("Max core file size +0 ")))
        #expect(try String(contentsOfFile: process + "/status", encoding: .utf8).contains("Umask:\t0077"))
        probe.pty.type("\u{04}")
        try probe.finish()
    }

    @Test(.enabled(if: isRoot, "another user is needed to look from"))
    func `a process of the same user sees neither memory nor environment`() throws {
        let home = try TemporaryHome(), probe = try PublicProgram("PromptProbe")
        let asNobody = ["--reuid", "\(Self.nobody)", "--regid", "\(Self.nobody)", "--clear-groups"]
        let spec = ChildSpec(
            "/usr/bin/setpriv", asNobody + [probe.path, "--fields", "password"], environment: home.environment)
        let pty = try Pty(spec)
        try pty.wait(for: "Password: ")
        for file in ["environ", "mem", "maps"] {
            let path = "/proc/\(pty.child.pid)/\(file)"
            let look = ChildSpec("/usr/bin/setpriv", asNobody + ["/usr/bin/head", "-c1", path])
            #expect(try Command.run(look).ending != .exited(0), "\(file) can be read")
        }
        pty.type("\u{04}")
        #expect(try pty.waitForEnd() == .exited(0))
    }

    @Test(.enabled(if: isRoot, "only root can make a set-uid copy for somebody else"))
    func `a set-uid copy refuses to run`() throws {
        let home = try TemporaryHome(), copy = home.path + "/probe"
        // By another process: a file that this one has open for writing, and a child of another test with it, is "busy".
        _ = try Command.run(ChildSpec("/bin/cp", [try BuiltProducts.path(of: "PromptProbe"), copy]))
        #expect(chown(copy, 65534, 65534) == 0 && chmod(copy, 0o4755) == 0)
        #expect(try Command.run(ChildSpec(copy, environment: home.environment)).ending == .exited(1))
    }

    @Test func `closed descriptors are made valid, and the prompt works without them`() throws {
        let home = try TemporaryHome(), program = try BuiltProducts.path(of: "PromptProbe")
        let script = "exec \(program) --fields password <&- >&- 2>&-"
        let pty = try Pty(ChildSpec("/bin/sh", ["-c", script], environment: home.environment))
        try pty.wait(for: "Password: ")
        for descriptor in 0...2 {
            let link = "/proc/\(pty.child.pid)/fd/\(descriptor)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        }
        pty.type("x\r")
        #expect(try pty.waitForEnd() == .exited(0))
    }

    @Test func `freed and moved memory is wiped`() {
        let pattern: Int32 = 0xA5
        func left(in block: UnsafeMutableRawPointer, _ range: Range<Int>) -> Int {
            range.count { block.load(fromByteOffset: $0, as: UInt8.self) == UInt8(pattern) }
        }
        // glibc keeps its lists in the first bytes of a free block, so the look begins after them.
        for size in [64, 500, 4096, 300_000] {
            guard let block = malloc(size), let grown = realloc(memset(block, pattern, size), size * 2) else {
                continue
            }
            #expect(left(in: grown, 0..<size) == size)
            if size < 100_000 { #expect(left(in: block, 32..<size) == 0) }
            guard let shrunk = realloc(memset(grown, pattern, size * 2), size) else { continue }
            #expect(left(in: shrunk, 0..<size) == size)
            free(shrunk)
            if size < 100_000 { #expect(left(in: shrunk, 32..<size) == 0) }
        }
        #expect(realloc(malloc(10), 0) == nil)
    }
}
