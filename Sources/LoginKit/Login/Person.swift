/// The person whom a piece of work is for: whether they may be asked, and how they are told.
package final class Person {
    /// The adapters that reach them.
    let dependencies: Dependencies
    /// The way to say something beside questions and results.
    package let messages: Messages
    /// Whether they can be asked to log in.
    package private(set) var mayBeAsked = false
    /// Whether asking is forbidden.
    let isPromptForbidden: Bool
    /// Seconds that they have for each answer.
    package var patience = Dependencies.DialogueSettings().timeout
    /// Has the warnings, too, while a login is lent.
    var whenWarned: ((String) -> Void)?
    private var isUnlockingAllowed = false
    private var seesNotices: Bool
    private let seesMovement: Bool
    private var warned: Set<String> = []
    /// The number of nested steps that hold the prompt's lock.
    private var promptLockDepth = 0

    init(_ dependencies: Dependencies, _ options: LoginContext.Options, _ messages: Messages) {
        (self.dependencies, self.messages) = (dependencies, messages)
        isPromptForbidden = options.noPrompt || (dependencies.environment["AUTHCTL_NO_PROMPT"] ?? "0") != "0"
        (seesNotices, seesMovement) = (options.showsNotice, options.showsMovement)
        guard !isPromptForbidden else { return }
        (mayBeAsked, isUnlockingAllowed) = (options.mayAsk && dependencies.hasTerminal(), options.mayUnlock)
    }

    /// The same person, who is not asked: for a part of the work on another thread.
    init(_ whole: Person, _ line: Dependencies.NoticeLine, _ messages: Messages) {
        var dependencies = whole.dependencies
        dependencies.noticeLine = line
        (self.dependencies, self.messages, isPromptForbidden) = (dependencies, messages, true)
        (patience, seesNotices, seesMovement) = (whole.patience, whole.seesNotices, whole.seesMovement)
    }

    /// The same person, who may be asked to unlock a store, but not to log in.
    func lending(_ messages: Messages?) -> Person {
        let lender = Person(self, dependencies.noticeLine, messages ?? self.messages)
        (lender.isUnlockingAllowed, lender.promptLockDepth) = (isUnlockingAllowed, promptLockDepth)
        return lender
    }

    /// From now on nobody is asked anything, and nothing is shown on the terminal: it is another program's.
    func leaveTerminal() { (mayBeAsked, isUnlockingAllowed, seesNotices) = (false, false, false) }

    /// Whether they can be asked to unlock a store.
    var mayUnlock: Bool { isUnlockingAllowed && dependencies.hasTerminal() }

    /// Whether they are told that a server is asked.
    var showsNotice: Bool { seesNotices && dependencies.hasTerminal() }

    /// Says something, unless they want quiet.
    package func say(_ text: String) { messages.note(text) }

    /// Prints a warning.
    package func warn(_ text: String) {
        messages.warn(text)
        whenWarned?(text)
    }

    /// Prints a warning that is found again with each account.
    func warnOnce(_ text: String) {
        if warned.insert(text).inserted { warn(text) }
    }
}

extension Person {
    /// The way to ask them.
    package var dialogue: any Dialogue { dialogue() }

    /// - Parameter allowsBlankPassword: whether a password may be left blank.
    func dialogue(allowsBlankPassword: Bool = false) -> any Dialogue {
        dependencies.dialogue(
            Dependencies.DialogueSettings(
                mask: dependencies.environment.mask, timeout: patience, allowsBlankPassword: allowsBlankPassword))
    }

    /// Makes other logins of this process wait until `givePromptLock`, since the person may be asked.
    func takePromptLock() throws(LoginFault) {
        if promptLockDepth == 0 { try dependencies.promptLock?.take(unless: dependencies.isCancelled ?? { false }) }
        promptLockDepth += 1
    }

    /// Ends one `takePromptLock`; the last one lets the other logins go on.
    func givePromptLock() {
        promptLockDepth -= 1
        if promptLockDepth == 0 { dependencies.promptLock?.give() }
    }

    /// Postpones what would end the program or cancel the call, until the result is dropped.
    package func interruptionHold() -> InterruptionHold {
        let notice = showsNotice ? RefreshWords.postponed + "\n" : nil
        return InterruptionHold(
            begin: { [dependencies] in dependencies.postponement.begin(notice) },
            end: { [dependencies] in dependencies.postponement.end() })
    }

    /// Names the server that is waited for; `nil` if nothing is to be shown.
    func waitingNotice(of origin: Origin) -> WaitingNotice? {
        guard showsNotice else { return nil }
        let moves = seesMovement && dependencies.environment.hasColors
        return WaitingNotice(
            dependencies.noticeLine, origin, spinner: moves ? Spinner(isUnicode: dependencies.isUnicode()) : nil)
    }

    /// Names slow work of this machine on the terminal, unless nothing is to be shown there.
    package func noticing<Result>(
        _ words: String, _ work: () throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        guard showsNotice else { return try work() }
        let notice = LocalWorkNotice(dependencies.noticeLine)
        notice.begin(words)
        defer { notice.end() }
        return try work()
    }
}
