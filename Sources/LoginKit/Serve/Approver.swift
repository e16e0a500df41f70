import CProcess
import Glibc
import LoginCore

/// The approving side: connected to every running `exec --serve` of this user, or to those of one profile.
final class Approver {
    /// A question, and whose it is.
    struct Pending {
        let path: String
        let profile: String
        let pid: Int32
        let question: ServeQuestion
    }

    /// What has become of the question that is shown.
    enum Change {
        case none
        case over(ServeAnswer)
    }

    private final class Peer {
        let stream: ApprovalStream
        var profile = ""
        var pid: Int32 = 0
        var question: ServeQuestion?
        /// The last question that has ended by itself; the next one may have come with that.
        var end: (id: String, answer: ServeAnswer)?

        init(_ stream: ApprovalStream) { self.stream = stream }
    }

    /// As many as the keyboard can be waited for beside.
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
            do throws(StoreFault) {
                guard let directory = try SafeDirectory.open(folder, creating: false) else { continue }
                present.formUnion(RuntimeFolder.sockets("approve", in: directory).map { "\(folder)/\($0)" })
            } catch .unsafeFile(let path, let problem) {
                throw .usage(.other("\(SafeText.quoted(path)): \(problem)"))
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

    /// How the question has ended by itself.
    func change(of pending: Pending) -> Change {
        let peer = peers[pending.path], id = pending.question.id
        if let end = peer?.end, end.id == id { return .over(end.answer) }
        return peer?.question?.id == id ? .none : .over(.withdrawn)
    }

    func answer(_ pending: Pending, _ answer: ServeAnswer) {
        guard let peer = peers[pending.path], peer.question?.id == pending.question.id else { return }
        peer.question = nil
        peer.stream.send(.answer(id: pending.question.id, answer))
    }
}
