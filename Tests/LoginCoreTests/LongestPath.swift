/// The length of the longest path from place 0 to an end; nothing if some path never ends.
/// - Parameter edges: each from the number of one place to that of another.
func longestPath(among places: Int, _ edges: some Sequence<(from: Int, to: Int)>) -> Int? {
    // A place that was found later never leads to one that is not yet done, unless there is a cycle.
    var remaining = [Int](repeating: 0, count: places)
    var open = remaining
    var incoming = [[Int]](repeating: [], count: places)
    for edge in edges {
        open[edge.from] += 1
        incoming[edge.to].append(edge.from)
    }
    var queue = open.indices.filter { open[$0] == 0 }
    var done = 0
    while let place = queue.popLast() {
        done += 1
        for before in incoming[place] {
            remaining[before] = max(remaining[before], remaining[place] + 1)
            open[before] -= 1
            if open[before] == 0 { queue.append(before) }
        }
    }
    return done == places ? remaining[0] : nil
}
