import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Testing

@Suite struct `The browser for a window` {
    private let screen = ProgramEnvironment(["DISPLAY": ":0"])

    private func choose(
        _ configured: String? = nil, found: [String: String], _ environment: ProgramEnvironment? = nil,
        isRoot: Bool = false
    ) -> Result<ChromiumProgram, WindowFault> {
        Result { () throws(WindowFault) in
            try ChromiumProgram.choose(
                configured: configured.map { CommandWords.split($0) ?? [] }, environment: environment ?? screen,
                isRoot: isRoot
            ) { found[$0] }
        }
    }

    private func fault(_ result: Result<ChromiumProgram, WindowFault>) -> WindowFault? {
        if case .failure(let fault) = result { fault } else { nil }
    }

    @Test func `the browser for a window is the first of its family in PATH`() {
        let found = ["google-chrome": "/opt/chrome", "vivaldi": "/opt/vivaldi"]
        #expect(try! choose(found: found).get().path == "/opt/chrome")
    }

    @Test func `the browser for a window that is named keeps its options`() {
        let program = try! choose("brave --proxy-server=x", found: ["brave": "/opt/brave"]).get()
        let words = program.arguments(folder: "/run/f", url: "https://wiki.example/")
        #expect(
            words.starts(with: [
                "brave", "--proxy-server=x", "--remote-debugging-pipe", "--user-data-dir=/run/f", "--incognito",
            ]))
        #expect(words.last == "https://wiki.example/")
        #expect(fault(choose("none", found: [:])) == .notStarted(program: "none", errno: ENOENT))
    }

    @Test func `no browser for a window, Firefox alone, snap and flatpak are told apart`() {
        #expect(fault(choose(found: [:])) == .noBrowser(other: nil))
        #expect(fault(choose(found: ["firefox-esr": "/usr/bin/firefox-esr"])) == .noBrowser(other: "firefox-esr"))
        #expect(
            fault(choose(found: ["chromium": "/snap/bin/chromium"]))
                == .confined(path: "/snap/bin/chromium", by: "snap"))
        let flatpak = "/var/lib/flatpak/exports/bin/org.chromium.Chromium"
        #expect(fault(choose("c", found: ["c": flatpak])) == .confined(path: flatpak, by: "flatpak"))
        let both = ["chromium": "/snap/bin/chromium", "vivaldi": "/opt/vivaldi"]
        #expect(try! choose(found: both).get().path == "/opt/vivaldi")
    }

    @Test func `a browser for a window is started as root only if it is named, and not without a screen`() {
        let found = ["chromium": "/usr/bin/chromium"]
        #expect(fault(choose(found: found, isRoot: true)) == .root)
        #expect(fault(choose("chromium", found: found, isRoot: true)) == nil)
        #expect(fault(choose(found: found, ProgramEnvironment([:]))) == .noDisplay(isRemote: false))
        let remote = ProgramEnvironment(["SSH_CONNECTION": "1 2 3 4"])
        #expect(fault(choose(found: found, remote)) == .noDisplay(isRemote: true))
        #expect(fault(choose("chromium", found: found, remote)) == .noDisplay(isRemote: true))
        #expect(fault(choose("chromium --headless=new", found: found, remote)) == nil)
    }
}

@Suite struct `A message of DevTools` {
    private func message(_ text: String) -> DevToolsMessage {
        Array(text.utf8).withUnsafeBytes { DevToolsMessage($0) }
    }

    @Test func `a message of DevTools about a page is read, and about others passed over`() {
        let page =
            #"{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"A","type":"page","url":"https://a/"}}}"#
        #expect(message(page) == .page(id: "A", url: "https://a/"))
        #expect(message(page.replacing("\"page\"", with: "\"iframe\"")) == .other)
        #expect(message(#"{"method":"Target.targetDestroyed","params":{"targetId":"A"}}"#) == .closed(id: "A"))
        #expect(message(#"{"id":3,"result":{"a":1}}"#) == .answer(id: 3, result: .object(["a": .integer(1)])))
        #expect(message(#"{"id":3,"error":{"code":-1}}"#) == .answer(id: 3, result: nil))
    }

    @Test(arguments: [
        "", "{", "[]", "nonsense", #"{"method":1}"#,
        #"{"method":"Target.targetCreated","params":{"targetInfo":{"title":"\ud800"}}}"#,
    ])
    func `a message of DevTools that cannot be read is passed over`(_ text: String) { #expect(message(text) == .other) }
}

@Suite struct `A channel to a browser` {
    /// Sends this to a channel's other end.
    private func received(_ pieces: [[UInt8]]) throws -> [DevToolsMessage] {
        let (channel, reads, writes) = try #require(DevToolsChannel.make())
        defer { close(reads) }
        var messages: [DevToolsMessage] = []
        for piece in pieces {
            _ = piece.withUnsafeBytes { write(writes, $0.baseAddress, $0.count) }
            messages += try channel.received()
        }
        close(writes)
        // A child that another test starts meanwhile has the end open until its exec.
        let hasEnded = eventually(within: 20) {
            do throws(DevToolsChannel.Fault) {
                _ = try channel.received()
                return false
            } catch {
                return error == .ended
            }
        }
        #expect(hasEnded)
        return messages
    }

    @Test func `messages on a channel to a browser are taken apart wherever they break`() throws {
        let one = Array(#"{"method":"Target.targetDestroyed","params":{"targetId":"A"}}"#.utf8) + [0]
        let both = one + one
        for place in [1, one.count - 1, one.count, one.count + 1] {
            let found = try received([Array(both[..<place]), Array(both[place...])])
            #expect(found == [.closed(id: "A"), .closed(id: "A")])
        }
    }

    @Test func `a channel to a browser ends with a message that has no end`() throws {
        let (channel, reads, writes) = try #require(DevToolsChannel.make())
        defer {
            close(reads)
            close(writes)
        }
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
        var ended = false
        for _ in 0..<200 where !ended {
            _ = piece.withUnsafeBytes { write(writes, $0.baseAddress, $0.count) }
            do { _ = try channel.received() } catch { ended = error == .broken }
        }
        #expect(ended)
    }
}
