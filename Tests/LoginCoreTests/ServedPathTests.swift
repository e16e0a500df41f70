@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// The path that rules judge, which is the one that is sent.
@Suite struct `The path of a request that rules judge` {
    private func readings(_ target: String) throws -> [[String]] {
        try ServedPath(target).readings.map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test(arguments: [
        ("/", [[""]]), ("/a", [["a"]]), ("/a/", [["a", ""]]), ("/a/b?c=/../%00", [["a", "b"]]),
        ("/%61%2D", [["a-"]]), ("/%C3%A4", [["ä"]]), ("/a%20b+c", [["a b+c"]]),
        ("/.a/..b/c./...", [[".a", "..b", "c.", "..."]]),
        ("/*/a:b@c", [["*", "a:b@c"]]),
    ]) func `is taken apart and decoded once`(target: String, expected: [[String]]) throws {
        #expect(try readings(target) == expected)
    }

    @Test func `an encoded slash is judged as a character and as a separator`() throws {
        #expect(try readings("/api/group%2Fname/x") == [["api", "group/name", "x"], ["api", "group", "name", "x"]])
        #expect(
            try readings("/queues/%2F/x") == [["queues", "/", "x"], ["queues", "", "", "x"], ["queues", "x"]],
            "and where it is not repeated")
        #expect(try ServedPath("/a%2fb?q").text == "/a%2fb", "it is sent as it was written")
    }

    @Test(arguments: [
        "/a\\b", "/a%5Cb", "/a%5c..%5cb", "/%00", "/a%0Ab", "/a%0d", "/%1B", "/%7F", "/%C2%80", "/%c2%9f",
        "/.", "/..", "/a/./b", "/a/../b", "/a/..", "/%2e", "/%2E%2e/x", "/.%2e/x", "/a/%2e%2E", "/a%2F..%2Fb",
        "/a%2f.", "/..%2Fa", "/..%20/a", "/.%20./a", "//", "//a", "/a//b", "/a//", "/a;b", "/a;/b", "/a%3Bb", "/a%3Fb",
        "/a%23b", "/..;/a",
        "/%FF", "/%C3", "/%C0%AE", "/%C0%AF", "/%ED%A0%80", "/%F5%80%80%80", "/%252e", "/%25", "/%2525", "/%252F",
        "/%", "/%2", "/%zz", "/%u002e", "/a%", "", "a", "?", "/a#b", "/a b", "/ä", "/a\u{0}",
    ]) func `is refused if some service would read it in another way`(target: String) {
        #expect(throws: ServedPath.Ambiguous.self) { try ServedPath(target) }
    }

    @Test func `a path of more than 16 KiB is refused`() {
        #expect(throws: Never.self) { try ServedPath("/" + String(repeating: "a", count: (16 << 10) - 1)) }
        #expect(throws: ServedPath.Ambiguous.self) { try ServedPath("/" + String(repeating: "a", count: 16 << 10)) }
    }

    /// Paths made of pieces that readers disagree about.
    @Test func `whatever it is made of, no reading has a segment that leads elsewhere`() {
        let pieces = [
            "/", "%2F", "%2f", ".", "%2E", "..", ";", "\\", "%5c", "a", "%25", "%", "2e", "%00", "%C0%AE", "*",
        ]
        var generator = SeededGenerator(seed: 7), count = 0
        for _ in 0..<20_000 {
            let length = Int.random(in: 1...8, using: &generator)
            let target = "/" + (0..<length).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let path = try? ServedPath(target) else { continue }
            count += 1
            for reading in path.readings {
                let texts = reading.map { String(decoding: $0, as: UTF8.self) }
                #expect(!texts.contains { $0 == "." || $0 == ".." }, "\(target)")
                #expect(!texts.contains { $0.contains(where: { "\\;%\0".contains($0) }) }, "\(target)")
            }
            #expect(path.readings[0].dropLast().allSatisfy { !$0.isEmpty }, "\(target)")
            #expect(path.readings.count == 1 || target.uppercased().contains("%2F"), "\(target)")
        }
        #expect(count > 500)
    }
}
