import Testing

@testable import LoginKit
@testable import LoginTestSupport

/// Every interleaving of three machines that need the same refresh, with what may go wrong at each step.
struct `A refresh that machines share` {
    /// Walks every state once, and tells of each move and of each end.
    private func walk(
        _ provider: SharedWorld.Provider, _ limit: SharedWorld.Faults,
        _ move: (SharedWorld, SharedWorld) -> Void, end: (SharedWorld) -> Void
    ) -> Int {
        var world = SharedWorld(provider: provider)
        world.limit = limit
        var seen: Set<SharedWorld> = [world], left = [world]
        while let world = left.popLast() {
            let moves = world.moves
            if moves.isEmpty { end(world) }
            for each in moves {
                let next = world.after(each)
                move(world, next)
                if seen.insert(next).inserted { left.append(next) }
            }
        }
        return seen.count
    }

    private static let limits = [
        SharedWorld.Faults(), SharedWorld.Faults(crashes: 1), SharedWorld.Faults(expiries: 1),
        SharedWorld.Faults(cuts: 1),
    ]
    private static let pairs = [SharedWorld.Faults(crashes: 1, expiries: 1), SharedWorld.Faults(crashes: 1, cuts: 1)]

    @Test(arguments: SharedWorld.Provider.allCases, Thoroughness.choose(usual: limits, full: limits + pairs))
    func `a refresh that machines share is one for each generation, and never undone`(
        provider: SharedWorld.Provider, limit: SharedWorld.Faults
    ) {
        var ends = 0
        let states = walk(provider, limit) { before, after in
            #expect(after.value.generation >= before.value.generation && after.token >= before.token)
            // A second one only where a lock has run out, or the machine that held it has died.
            if after.faults.expiries + after.faults.crashes == 0 {
                #expect(after.refreshes.count <= 1 || after.faults.cuts > 0)
            }
            for (old, new) in zip(before.machines, after.machines) where old.outcome == nil {
                // Nobody who has the newest session is told that it has ended.
                if case .refused = new.outcome { #expect(before.newest > before.token, "\(before)") }
            }
        } end: { world in
            ends += 1
            let isKept = world.token == world.newest || world.machines.contains { $0.journal?.last == world.newest }
            #expect(isKept || world.faults.lost > 0, "\(world)")
            if limit == SharedWorld.Faults() {
                #expect(world.machines.allSatisfy { $0.outcome == .use(generation: 1) } && world.refreshes == [0])
            }
        }
        #expect(states > 100 && ends > 0)
    }
}
