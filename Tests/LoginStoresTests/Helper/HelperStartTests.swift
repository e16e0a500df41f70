@testable import LoginKit
import Foundation
import Glibc
import Secrets
@testable import LoginTestSupport
import Testing

/// Which program is run, and in which surroundings.
@Suite(.onOwnThreads) struct `The start of a helper` {
    private func fault(_ store: HelperStore) -> StoreFault? { ScriptedHelper.fault { _ = try store.find(.some()) } }

    private func words(of fault: StoreFault?) -> String { fault.map { LoginFault.store($0).message().what } ?? "" }

    @Test(arguments: [
        "", "authctl", "x; touch pwn", "!sh", "-rf", "..", ".hidden", "a..b", "a/b", "../x", "/bin/sh", "a b", "a\nb",
        "$(id)", "`id`", "a\0", "caf\u{E9}", String(repeating: "x", count: 65),
    ])
    func `a name that is no plain part of a program's name is refused`(name: String) throws {
        #expect(StoreName("helper:\(name)") == nil)
        let helper = try ScriptedHelper("touch $HERE/ran")
        guard case .helper(.helper(name), "invalid helper name", _) = fault(helper.store(name)) else {
            Issue.record("it was run")
            return
        }
    }

    @Test(arguments: ["pass", "secretservice", "ecr-login", "a.b", "x_1", "1password"])
    func `plain names are names of stores`(name: String) {
        #expect(StoreName("helper:\(name)") == .helper(name))
        #expect(StoreName("helper:\(name)")?.description == "helper:\(name)")
    }

    @Test func `only absolute folders of PATH count`() throws {
        let helper = try ScriptedHelper("touch $HERE/ran")
        for path in ["", ".", ":", "bin", "./bin:../bin", "/nonexistent", ":\(helper.folder.parent)"] {
            #expect(fault(helper.store(path: path)) == .helperNotInPath(.helper("odd")))
        }
        #expect(!FileManager.default.fileExists(atPath: "\(helper.folder.parent)/ran"))
    }

    @Test func `what is no program is passed over, and told of where there is no other`() throws {
        let helper = try ScriptedHelper("exit 3", mode: 0o644)
        let path = "\(helper.bin)/docker-credential-odd"
        #expect(fault(helper.store()) == .helper(.helper("odd"), notStarted: path, errno: EACCES))
        let other = try ScriptedHelper("exit 3")
        let both = "\(helper.bin):\(other.bin)"
        #expect(words(of: fault(other.store(path: both))).hasSuffix("failed without a message (status 3)"))
        let folder = "\(helper.bin)/docker-credential-folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(fault(helper.store("folder")) == .helperNotInPath(.helper("folder")))
    }

    @Test func `what everybody may write to is refused`() throws {
        let helper = try ScriptedHelper(mode: 0o757)
        let program = "\(helper.bin)/docker-credential-odd"
        #expect(words(of: fault(helper.store())).contains("everybody can write to \(program), so"))
        chmod(program, 0o755)
        for mode: mode_t in [0o777, 0o1777] {
            chmod(helper.bin, mode)
            #expect(words(of: fault(helper.store())).contains("everybody can write to \(helper.bin), so"))
        }
    }

    @Test func `what does not start is told with the reason`() throws {
        let helper = try ScriptedHelper(interpreter: "/nonexistent/shell")
        let path = "\(helper.bin)/docker-credential-odd"
        #expect(fault(helper.store()) == .helper(.helper("odd"), notStarted: path, errno: ENOENT))
        try helper.install("no program at all", named: "odd")
        #expect(fault(helper.store()) == .helper(.helper("odd"), notStarted: path, errno: ENOEXEC))
    }

    @Test func `it finds its environment without our variables, three descriptors, and signals as they are usual`()
        throws
    {
        let descriptor = open("/dev/null", O_RDONLY)  // not closed on exec
        defer { close(descriptor) }
        let helper = try ScriptedHelper(
            """
            env > $HERE/env
            ls /proc/self/fd > $HERE/fd
            tr '\\0' ' ' < /proc/$$/cmdline > $HERE/cmdline
            grep -E '^Sig(Blk|Ign)' /proc/self/status > $HERE/signals
            cut -d' ' -f5,6 /proc/$$/stat > $HERE/session; echo $$ >> $HERE/session
            (: < /dev/tty) 2>/dev/null && echo terminal >> $HERE/session
            exit 1
            """)
        let ours = [
            "AUTHCTL_USERNAME": "ann", "AUTHCTL_PASSWORD": "hunter2", "AUTHCTL_PASSWORD_FILE": "/f",
            "AUTHCTL_STORE_PASSPHRASE_FILE": "/g", "GPG_TTY": "/dev/pts/7", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/b",
        ]
        _ = fault(helper.store(more: ours))
        let environment = try helper.read("env")
        #expect(!environment.contains("AUTHCTL_"))
        #expect(
            environment.contains("GPG_TTY=/dev/pts/7") && environment.contains("DBUS_SESSION_BUS_ADDRESS=unix:path=/b"))
        // The fourth is that of ls itself, on the folder.
        #expect(try helper.read("fd").split(separator: "\n") == ["0", "1", "2", "3"])
        #expect(try helper.read("cmdline") == "/bin/sh \(helper.bin)/docker-credential-odd get ")
        // But 32 and 33, which belong to the C library and cannot be changed.
        let signals = try helper.read("signals").split(separator: "\n").map {
            UInt64($0.split(separator: "\t")[1], radix: 16).map { $0 & ~0x1_8000_0000 }
        }
        #expect(signals == [0, 0])
        let session = try helper.read("session").split { $0.isWhitespace }
        #expect(session.count == 3 && Set(session).count == 1)
    }

    @Test func `what it inherits of this process is without our variables too`() throws {
        let helper = try ScriptedHelper("env > $HERE/env; exit 1", named: "inherit")
        let result = try Program.run([
            "PATH=\(helper.bin):/usr/bin:/bin", "HERE=\(helper.folder.parent)", "AUTHCTL_PASSWORD=hunter2",
            "AUTHCTL_USERNAME=ann", "BROKEN=\u{E9}", Program.probe, "find", "helper:inherit", "/nonexistent", "p", "u",
        ])
        #expect(result.status == 8)
        let environment = try helper.read("env")
        #expect(!environment.contains("hunter2") && !environment.contains("AUTHCTL_USERNAME"))
        #expect(environment.contains("BROKEN=\u{E9}"))
    }

    @Test func `the helpers of PATH are listed once, by name, without running any`() throws {
        let helper = try ScriptedHelper("touch $HERE/ran")
        try helper.write("#!/bin/sh\n", to: "bin/docker-credential-authctl", mode: 0o755)
        try helper.write("#!/bin/sh\n", to: "bin/docker-credential-a b", mode: 0o755)
        try helper.write("#!/bin/sh\n", to: "bin/docker-credential-plain", mode: 0o644)
        let stores = Stores(
            folder: "/nonexistent", clock: .fixed,
            environment: .init(["PATH": "\(helper.bin):\(helper.bin):bin", "HERE": helper.folder.parent])
        ) { () throws(StoreFault) in Secret("") }
        #expect(stores.programs() == [.helper("odd")])
        #expect(!FileManager.default.fileExists(atPath: "\(helper.folder.parent)/ran"))
    }
}
