import CProcess
import Glibc

/// `authctl approve`: shows one question at a time, until the person has had enough.
package struct ApprovalRound {
    private let approver: Approver
    private let terminal: ApprovalTerminal
    private let profile: String?
    private let context: LoginContext

    /// - Parameter profile: whose questions; `nil` for all.
    /// - Throws: `usage` if there is no terminal.
    package init(_ context: LoginContext, profile: String?) throws(LoginFault) {
        guard context.person.mayBeAsked, let terminal = try ApprovalTerminal(timeout: context.person.patience) else {
            throw .usage(ApprovalWords.needsTerminal)
        }
        (self.context, self.profile, self.terminal) = (context, profile, terminal)
        approver = Approver(RuntimeFolder(context.dependencies.environment, context.paths), profile: profile)
    }

    /// - Throws: `cancelled` for Ctrl-D; Ctrl-C ends the process.
    package func run() throws(LoginFault) {
        terminal.say([ApprovalWords.ready(profile)])
        var hasWarned = false
        while true {
            try approver.look()
            approver.receive()
            if approver.hasMetOtherVersion, !hasWarned {
                hasWarned = true
                terminal.say([ApprovalWords.otherVersion])
            }
            if let pending = approver.next {
                try ask(pending)
            } else if terminal.idle(1000, beside: approver.descriptors) == .cancelled {
                throw .cancelled
            }
        }
    }

    private func ask(_ pending: Approver.Pending) throws(LoginFault) {
        show(pending)
        while true {
            approver.receive()
            if let end = approver.end(of: pending) { return terminal.end(ApprovalWords.ended(end)) }
            switch terminal.read(beside: approver.descriptors) {
            case .cancelled: throw .cancelled
            case .interrupted: try approver.look()
            case .disturbed: show(pending)
            case .answered(let answer):
                approver.receive()
                if let end = approver.end(of: pending) { return terminal.end(ApprovalWords.ended(end)) }
                approver.answer(pending, answer)
                return terminal.end(ApprovalWords.result(answer))
            }
        }
    }

    private func show(_ pending: Approver.Pending) {
        terminal.begin { $0.lines(of: pending.question, profile: pending.profile, pid: pending.pid) }
    }
}

/// The approving side: connected to every command of this user that lends a login, or to those of one profile.
final class Approver {
    /// A question, and the command that asks it.
    struct Pending {
        let path: String
        let profile: String
        let pid: Int32
        let question: ServeQuestion
    }

    private final class Peer {
        let stream: ApprovalStream
        var profile = ""
        var pid: Int32 = 0
        var question: ServeQuestion?
        /// The last question that has ended by itself; the next one may have come with its end.
        var end: (id: String, answer: ServeAnswer)?

        init(_ stream: ApprovalStream) { self.stream = stream }
    }

    /// The most connections that can be waited for besides the keyboard.
    private static let most = CPROCESS_MOST_OTHERS

    private let folders: [String]
    private let profile: String?
    private var peers: [String: Peer] = [:]
    /// The sockets of other profiles and versions, which are not asked again.
    private var others: Set<String> = []
    private(set) var hasMetOtherVersion = false

    init(_ folder: RuntimeFolder, profile: String?) {
        (folders, self.profile) = (folder.all, profile)
    }

    var descriptors: [Int32] { peers.values.map(\.stream.descriptor) }

    /// Connects to the commands that have begun since.
    /// - Throws: `usage` for a folder that others have access to.
    func look() throws(LoginFault) {
        var present: Set<String> = []
        for folder in folders {
            do {
                guard let directory = try SafeDirectory.open(folder) else { continue }
                present.formUnion(RuntimeFolder.sockets("approve", in: directory).map { "\(folder)/\($0)" })
            } catch .unsafeFile(let path, let problem) {
                throw .usage("\(SafeText.quoted(path)): \(problem)")
            } catch {
                throw .store(error)
            }
        }
        others.formIntersection(present)
        for path in present.sorted() where peers[path] == nil && !others.contains(path) { connect(path) }
    }

    private func connect(_ path: String) {
        guard peers.count < Int(Self.most) else { return }
        let descriptor = UnixAddress.connect(path)
        guard descriptor >= 0 else { return }
        let stream = ApprovalStream(descriptor)
        var user = uid_t()
        guard cprocess_socket_user(descriptor, &user) != 0, user == geteuid() else {
            others.insert(path)
            return
        }
        stream.send(.approver)
        peers[path] = Peer(stream)
    }

    /// Takes note of what the commands say, without waiting.
    func receive() {
        for (path, peer) in peers {
            for message in peer.stream.receive() { take(message, of: peer, at: path) }
            if peer.stream.isClosed { peers[path] = nil }
        }
    }

    private func take(_ message: ApprovalMessage, of peer: Peer, at path: String) {
        switch message {
        case .serving(let profile, let pid):
            (peer.profile, peer.pid) = (profile, pid)
            guard let wanted = self.profile, wanted != profile else { return }
            others.insert(path)
            peers[path] = nil
        case .question(let question, _): peer.question = question
        case .ended(let id, let answer): peer.end = (id, answer)
        case .otherVersion:
            hasMetOtherVersion = true
            others.insert(path)
            peers[path] = nil
        case .approver, .answer: peers[path] = nil
        }
    }

    /// A question that nobody has answered.
    var next: Pending? {
        for (path, peer) in peers.sorted(by: { $0.key < $1.key }) {
            guard let question = peer.question else { continue }
            guard peer.end?.id != question.id else {
                peer.question = nil
                continue
            }
            return Pending(path: path, profile: peer.profile, pid: peer.pid, question: question)
        }
        return nil
    }

    /// The end of a question that has ended by itself; `nil` while it waits.
    func end(of pending: Pending) -> ServeAnswer? {
        let peer = peers[pending.path], id = pending.question.id
        if let end = peer?.end, end.id == id { return end.answer }
        return peer?.question?.id == id ? nil : .withdrawn
    }

    func answer(_ pending: Pending, _ answer: ServeAnswer) {
        guard let peer = peers[pending.path], peer.question?.id == pending.question.id else { return }
        peer.question = nil
        peer.stream.send(.answer(id: pending.question.id, answer))
    }
}

/// The terminal of `authctl approve`: quiet for as long as this lives, with single keys instead of lines, so that nothing that
/// was typed or pasted before a question answers it.
final class ApprovalTerminal {
    /// The reason why a wait has ended.
    enum Reply: Equatable {
        case answered(ServeAnswer)
        /// Ctrl-D, or the terminal is gone.
        case cancelled
        /// One of the others wants to be looked at, or the time is up.
        case interrupted
        /// The question has to be shown again: the window has another size, or something else was on the screen.
        case disturbed
    }

    private let conversation: Conversation
    private var keys = ApprovalKeys()
    private var last = ContinuousClock.now
    /// Whether the next key was there already when the last one was read: then a busy machine is no reason to take it for a later one.
    private var isFollowed = false
    /// Milliseconds in which a question is only read; what is typed meanwhile is dropped. The last question may have gone just before
    /// its answer was typed.
    private static let pause: Int32 = 1000

    /// Waits until no other process asks there; `nil` if there is no terminal.
    /// - Parameter timeout: in seconds, for that wait.
    init?(timeout: Int) throws(LoginFault) {
        guard let conversation = try Conversation(timeout: timeout) else { return nil }
        self.conversation = conversation
    }

    /// Writes lines; text of others only as `SafeText` made it fit.
    func say(_ lines: [String]) { conversation.say(lines.map { TerminalLook.plain($0) }) }

    /// Waits without a question; keys are dropped.
    func idle(_ milliseconds: Int32, beside descriptors: [Int32]) -> Reply {
        switch conversation.key(within: milliseconds, beside: descriptors) {
        case .byte(0x04), .hungUp: .cancelled
        case .byte, .other, .nothing, .resumed: .interrupted
        }
    }

    /// Shows a question that is laid out for the screen as it is now, rings the bell, and drops what was typed so far.
    func begin(_ lines: (ApprovalScreen) -> [String]) {
        var hasDropped: Bool?
        repeat {
            conversation.clearLine()
            let size = TerminalLook.size(of: conversation.terminal.screen.descriptor)
            let screen = ApprovalScreen(columns: size.columns, rows: size.rows, isUnicode: TerminalLook.isUnicode)
            conversation.say(lines(screen), isLaidOut: true)
            conversation.ring()
            hasDropped = conversation.drop(for: Self.pause)
        } while hasDropped == nil
        if hasDropped == true { say([ApprovalWords.early]) }
        (keys, isFollowed) = (ApprovalKeys(), false)
        draw()
    }

    /// Takes the question away that stands there.
    func end(_ line: String) {
        conversation.clearLine()
        say([line])
    }

    /// Waits for the answer.
    func read(beside descriptors: [Int32]) -> Reply {
        while true {
            switch conversation.key(within: 1000, beside: descriptors) {
            case .nothing, .other: return .interrupted
            case .hungUp: return .cancelled
            case .resumed: return .disturbed
            case .byte(let byte):
                let now = ContinuousClock.now
                let gap = isFollowed ? 0 : Int((now - last) / .milliseconds(1))
                (last, isFollowed) = (now, KeyReader.isMoreWaiting(on: conversation.terminal.screen.descriptor))
                switch keys.take(byte, after: gap) {
                case .none: draw()
                case .answered(let answer): return .answered(answer)
                case .cancelled: return .cancelled
                case .unclear:
                    conversation.clearLine()
                    say([ApprovalWords.unclear])
                    draw()
                }
            }
        }
    }

    private func draw() { conversation.prompt(ApprovalWords.label + (keys.letter.map { "\($0)" } ?? "")) }
}
