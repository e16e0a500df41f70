import Foundation

/// How many logins at generated servers ended how. The truth is what the server did with the password.
struct VerdictFigures {
    /// One kind of login.
    struct Row {
        var combinations = 0
        /// Wrong passwords that were accepted, and right ones that were called wrong.
        var (accepted, refused) = (0, 0)
        /// Logins of which something could be told, by the right and by the wrong password; how many of them were
        /// neither accepted nor refused.
        var (tellable, undecided) = ([true: 0, false: 0], [true: 0, false: 0])
        /// Accepted wrong ones that nothing can tell from right ones.
        var untold = 0
        /// Accepted as a profile without verify has it, whose login's answer decides.
        var asDesigned = 0
        /// Right ones that were called wrong by a service that answered as to a wrong one: a redirect without a cookie.
        var forgotten = 0
        /// URLs at which no login was found, so that nobody was asked.
        var unasked = 0
        /// Stored logins that a wrong password or nothing at all has ended.
        var lost = 0
    }

    /// How a login ended.
    struct End: Sendable {
        let code: Int32
        let talk: String
        /// Whether the password was asked for.
        let wasAsked: Bool
    }

    private(set) var rows: [GeneratedServer.Kind: Row] = [:]
    /// Every combination that ended as it must not.
    private(set) var faults: [String] = []
    private var classes: [String: Int] = [:]
    /// What a right and a wrong password show at any of the servers, by kind and way.
    private let sights: [Bool: Set<String>]

    init() { sights = [true: GeneratedLogin.sights(right: true), false: GeneratedLogin.sights(right: false)] }

    mutating func add(_ login: GeneratedLogin) { rows[login.server.kind, default: Row()].combinations += 1 }

    /// A login ended with this code.
    /// - Parameter when: which login at this server it was.
    mutating func note(_ login: GeneratedLogin, right isRight: Bool, _ end: End, when: String = "first") {
        let (code, talk) = (end.code, end.talk)
        var row = rows[login.server.kind, default: Row()]
        defer { rows[login.server.kind] = row }
        let isShown = login.hasProof || !isRight && !login.isOpen
        let isTellable = isShown && sights[!isRight]?.contains(login.sight(right: isRight)) == false
        if !end.wasAsked, login.way.isURL {
            row.unasked += 1
            return
        }
        if isTellable { row.tellable[isRight, default: 0] += 1 }
        classes["\(isRight ? "right" : "wrong") \(code)\(isTellable ? "" : ", nothing tells")", default: 0] += 1
        switch (isRight, code) {
        case (true, 0): break
        case (false, 0) where !login.way.hasVerify && !isTellable: row.asDesigned += 1
        case (false, 0) where login.isUntold: row.untold += 1
        case (false, 0):
            row.accepted += 1
            fault("accepted", login, when, code, talk)
        case (true, 3) where login.keepsNobody && login.server.right.hasPrefix("3"): row.forgotten += 1
        case (true, 3):
            row.refused += 1
            fault("refused", login, when, code, talk)
        // To a wrong password, 1, 10 and 12 say the status that the service has answered.
        case (true, _), (false, 2), (false, 4):
            if isTellable { row.undecided[isRight, default: 0] += 1 }
            let way = login.way.isURL ? "URL" : "profile"
            let end =
                "\(login.server.kind.rawValue), \(way), \(isRight ? "right" : "wrong") \(code): \(Self.words(talk))"
            undecided[isTellable, default: [:]][end, default: []].append("\(login)")
        case (_, _): break
        }
    }

    /// A login that was stored is gone.
    mutating func noteLost(_ login: GeneratedLogin, _ end: End) {
        rows[login.server.kind, default: Row()].lost += 1
        fault("lost", login, "after a wrong password", end.code, end.talk)
    }

    private mutating func fault(_ what: String, _ login: GeneratedLogin, _ when: String, _ code: Int32, _ talk: String)
    {
        faults.append("\(what) (\(when), \(code)): \(login)\n      \(Self.words(talk))")
    }

    /// The classes of undecided logins with their members, by whether something could be told.
    private var undecided: [Bool: [String: [String]]] = [:]

    private static func words(_ talk: String) -> String {
        let lines = talk.split(separator: "\n").filter { !$0.contains("warning: the login is stored") }
        let text = lines.first { $0.hasPrefix("authctl: ") } ?? lines.last ?? ""
        return String(
            text.replacing(#/https?:\/\/[a-z0-9.:]+/#, with: "ORIGIN").replacing(#/127\.0\.0\.1:\d+/#, with: "HOST")
                .prefix(200))
    }

    var total: Row {
        rows.values.reduce(into: Row()) { sum, row in
            sum.combinations += row.combinations
            (sum.accepted, sum.refused) = (sum.accepted + row.accepted, sum.refused + row.refused)
            for isRight in [true, false] {
                sum.tellable[isRight, default: 0] += row.tellable[isRight] ?? 0
                sum.undecided[isRight, default: 0] += row.undecided[isRight] ?? 0
            }
            (sum.untold, sum.asDesigned) = (sum.untold + row.untold, sum.asDesigned + row.asDesigned)
            (sum.lost, sum.unasked) = (sum.lost + row.lost, sum.unasked + row.unasked)
            sum.forgotten += row.forgotten
        }
    }

    /// One line for each kind, the classes, and up to `most` combinations of each fault.
    func report(most: Int = 40) -> String {
        func line(_ name: String, _ row: Row) -> String {
            func share(_ isRight: Bool) -> String { "\(row.undecided[isRight] ?? 0) of \(row.tellable[isRight] ?? 0)" }
            return
                "\(name): \(row.combinations) combinations, \(row.accepted) wrong accepted, \(row.refused) right refused, "
                + "undecided \(share(true)) right, \(share(false)) wrong; \(row.lost) logins lost; apart: \(row.untold) that nothing tells, "
                + "\(row.asDesigned) as designed, \(row.forgotten) forgotten, \(row.unasked) where no login was found"
        }
        var lines = GeneratedServer.Kind.allCases.compactMap { kind in rows[kind].map { line(kind.rawValue, $0) } }
        lines += [line("all", total), "", "Ended with:"]
        lines += classes.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        for (isTellable, head) in [(true, "something could be told"), (false, "nothing could be told")] {
            lines += ["", "Undecided, where \(head):"]
            lines += (undecided[isTellable] ?? [:]).sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
                .map { "  \($0.value.count) \($0.key)\n      such as \($0.value[0])" }
        }
        for what in ["accepted", "refused", "lost"] {
            let all = faults.filter { $0.hasPrefix(what) }
            lines += ["", "\(what): \(all.count)"] + Thoroughness.spread(all, most).map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// Prints the report where `AUTHCTL_VERDICT_FIGURES` is set.
    func printIfWanted() {
        if ProcessInfo.processInfo.environment["AUTHCTL_VERDICT_FIGURES"] != nil { print(report()) }
    }
}

extension GeneratedLogin {
    /// A wrong password that is answered with 2xx where strangers are not, without any name, or where none is read: the right one
    /// may be answered so.
    fileprivate var isUntold: Bool {
        let answer = wrongName == GeneratedServer.name ? server.wrong : server.unknown
        return server.kind.isHTTP && !way.readsName && answer.hasPrefix("2") && !server.stranger.hasPrefix("2")
    }
}
