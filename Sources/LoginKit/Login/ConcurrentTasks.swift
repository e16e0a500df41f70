import Synchronization

extension LoginContext {
    /// Does work for each, eight at a time, each with a context of its own: on this thread and on as many others as can be
    /// had. What the contexts say comes in the order of `inputs`.
    package func concurrently<Input, Output>(
        _ inputs: [Input], _ work: @escaping (LoginContext, Input) -> Output
    ) -> [Output] {
        let width = min(dependencies.width, inputs.count)
        // What is traced stays together.
        guard width > 1, trace == nil else { return inputs.map { work(self, $0) } }
        let tasks = ConcurrentTasks(inputs, self, work)
        for _ in 1..<width { guard tasks.startThread() else { break } }
        tasks.run()
        return tasks.results()
    }
}

/// The work of several threads: each takes the next input that none has taken.
private final class ConcurrentTasks<Input, Output>: @unchecked Sendable {
    private let inputs: [Input]
    private let context: LoginContext
    private let work: (LoginContext, Input) -> Output
    private let line: SharedNoticeLine
    /// Whoever has it uses what follows.
    private let monitor = Monitor()
    private let threads = CountedThreads()
    private var next = 0
    private var outputs: [Output?]
    private var said: [[(isWarning: Bool, text: String)]]

    init(_ inputs: [Input], _ context: LoginContext, _ work: @escaping (LoginContext, Input) -> Output) {
        (self.inputs, self.context, self.work) = (inputs, context, work)
        line = SharedNoticeLine(context.dependencies.noticeLine)
        // Opened before there are several threads.
        _ = context.stores()
        outputs = Array(repeating: nil, count: inputs.count)
        said = Array(repeating: [], count: inputs.count)
    }

    /// - Returns: whether another thread could be had.
    func startThread() -> Bool { threads.start { [self] in run() } }

    func run() {
        while let index = takeNext() {
            let say: @Sendable (Bool, String) -> Void = { [self] isWarning, text in
                monitor.locked { said[index].append((isWarning, text)) }
            }
            let messages = Messages(note: { say(false, $0) }, warn: { say(true, $0) })
            let part = LoginContext(partOf: context, for: Person(context.person, line.part(index), messages))
            let output = work(part, inputs[index])
            monitor.locked { outputs[index] = output }
        }
    }

    private func takeNext() -> Int? {
        monitor.locked {
            guard next < inputs.count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// All of them, once what was said on the way has been passed on. The other threads have limits of time for all they wait for.
    func results() -> [Output] {
        threads.wait()
        for (isWarning, text) in said.joined() {
            if isWarning { context.person.warn(text) } else { context.person.say(text) }
        }
        return outputs.compactMap(\.self)
    }
}

/// The notice line for several threads: it names one server at a time, and what moves in it is that one's.
private final class SharedNoticeLine: Sendable {
    private let line: Dependencies.NoticeLine
    /// The part of the work whose notice stands there.
    private let owner = Mutex<Int?>(nil)

    init(_ line: Dependencies.NoticeLine) {
        self.line = line
    }

    /// The line for one part of the work.
    func part(_ index: Int) -> Dependencies.NoticeLine {
        Dependencies.NoticeLine(
            show: { [self] text in
                owner.withLock { owner in
                    guard owner == nil, line.show(text) else { return false }
                    owner = index
                    return true
                }
            },
            hide: { [self] in
                owner.withLock { owner in
                    guard owner == index else { return }
                    line.hide()
                    owner = nil
                }
            },
            move: { [self] tail in owner.withLock { if $0 == index { line.move(tail) } } })
    }
}
