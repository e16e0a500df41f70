import Testing

@testable import LoginKit

/// What the reader of GraphQL documents finds in them.
@Suite struct `A GraphQL document` {
    /// The operation that is executed with its root fields, or the name of the fault.
    private func read(_ text: String, _ name: String? = nil) -> String {
        do throws(GraphQLFault) {
            let document = try GraphQLDocument(text), operation = try document.operation(named: name)
            return ([operation.kind.rawValue] + (try document.fields(of: operation))).joined(separator: " ")
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("{a}", "query a"), ("query{a}", "query a"), ("query Q{a b,c}", "query a b c"), ("mutation{a}", "mutation a"),
        ("subscription S{a}", "subscription a"), ("{a a:a b:a}", "query a"),
        ("{query mutation}", "query query mutation"),
        ("{mutation:a}", "query a"), ("{a:mutation}", "query mutation"), ("query mutation{a}", "query a"),
        ("mutation query{a}", "mutation a"), ("{on fragment true null}", "query on fragment true null"),
        ("{a{b{c}}d}", "query a d"), ("{a(b:1){c}d(e:{f:[1,{g:h}]})@i(j:$k)@l{m}n}", "query a d n"),
        ("query Q($a:[Int!]!={b:[1]}@c(d:2),$e:F=null)@g{h(i:$a)}", "query h"),
        ("{...{a}}", "query a"), ("{...on Q{a}b}", "query a b"), ("{...@include(if:true){a}}", "query a"),
        ("{...on Q@skip(if:$a){a...on Q{b{c}...{d}}}}", "query a b d"), ("{... on on{a}}", "query a"),
        ("{...A}fragment A on Q{a{b}}", "query a"),
        ("fragment A on Q@b(c:1){a ...B}{...A}fragment B on Q{b}", "query a b"),
        ("{...A b}fragment A on Q{a...A...{...B}}fragment B on Q{c...A}", "query b a c"),
        ("{a{...B}}fragment B on X{b}", "query a"), ("{__typename __schema{a}}", "query __typename __schema"),
        ("\u{FEFF}{a}", "query a"), ("{\u{FEFF}a\u{FEFF}}", "query a"), (",,{,a,,b,},", "query a b"),
        ("#{b}\n{a#}{\r\n}#", "query a"), ("# mutation{b}\n\n\tquery\n{a}", "query a"),
        (#"{a(b:"}mutation{c}")}"#, "query a"), (#"{a(b:"\"}mutation{c")d}"#, "query a d"),
        (#"{a(b:"\\")c}"#, "query a c"), (##"{a(b:"#")c}"##, "query a c"), (#"{a(b:"\u007d\u0022")c}"#, "query a c"),
        (#"{a(b:"")c(d:"",e:"")}"#, "query a c"), (#"{a(b:"""}mutation{c}""")d}"#, "query a d"),
        ("{a(b:\"\"\"\n}#\n\"\"\")c}", "query a c"),
        ("{a(b:-1.5e+3,c:0,d:10,e:1E5)f}", "query a f"), ("{a(b:1c:2){d}e}", "query a e"),
    ])
    func `the operation is found with its root fields, without aliases`(text: String, expected: String) {
        #expect(read(text) == expected)
    }

    @Test(arguments: [
        "", " ", "a", "{", "}", "{}", "{a", "{a}}", "{a{}}", "{{a}}", "{a:}", "{:a}", "{a:b:c}", "{a()}", "{a(b:1}",
        "{a(b:[1)]}",
        "{a(b:{c:1]})}", "{a}b", "{a}{", "query", "query Q", "query Q R{a}", "query(){a}", "QUERY{a}", "Mutation{a}",
        "query\0{a}",
        "type A{a:B}", "schema{query:A}", "extend type A{a:B}", #""a"query{a}"#, #""""a"""{a}"#,
        "{a}fragment on on A{a}",
        "{a}fragment A{a}", "{a}fragment A on{a}", "{a}fragment A on B", "{a}fragment A($b:C) on D{a}",
        "{...A}", "{...A}fragment B on Q{a}", "{...A}fragment A on Q{a}fragment A on Q{b}",
        "{...A}fragment A on Q{...A}",
        "{...}", "{....A}", "{..A}", "{...on{a}}", "{...on A}", "{a(...)}", "{a(b:...c)}", "{a@}", "{a@b(}", "{a;b}",
        "{a|b}", "{a&b}",
        "{a%b}", "{a?}", "{a'b'}", "{a`}", "{a-b}", "{é}", "{a}\u{A0}", "{a\u{2028}b}", "{a\u{0B}b}", "{a\u{0C}}",
        "{\u{7F}a}", "{a\u{200B}}",
        #"{a(b:"c)}"#, "{a(b:\"c\n\")}", "{a(b:\"c\r\")}", #"{a(b:"\c")}"#, #"{a(b:"\u12g4")}"#, #"{a(b:"\u{7d}")}"#,
        #"{a(b:"\"#,
        #"{a(b:"""c)}"#, #"{a(b:"""c"")}"#, #"{a(b:"""\""")}"#, #"{a(b:"""\\""")c}"#,
        #"{a(b:"""\"""}c{""")d}"#, #"{a(b:""" "" """)c}"#,
        #"fragment F on M{a:d(a:["""\""""]){i}} mutation{...F b:d(a:["""]){i}} query{v{i}} #"]){i}}"#,
        "{a(b:.5)}",
        "{a(b:+1)}",
        "{a#\r}mutation{b}\n}", "{a#\u{2028}}mutation{b}\n}", "{a#\u{2029}}mutation{b}\n}", "{a#\u{85}}mutation{b}\n}",
    ])
    func `what some reader takes for something else is no document`(text: String) {
        let found = read(text)
        #expect(found == "document" || found == "operation", "\(found)")
    }

    @Test(
        arguments: [
            ("query A{a}mutation B{b}", "A", "query a"), ("query A{a}mutation B{b}", "B", "mutation b"),
            ("query A{a}mutation B{b}", nil, "operation"), ("query A{a}mutation B{b}", "", "operation"),
            ("query A{a}mutation B{b}", "C", "operation"), ("query A{a}mutation B{b}", "a", "operation"),
            ("query A{a}mutation A{b}", "A", "operation"), ("query A{a}", "A", "query a"),
            ("query A{a}", nil, "query a"),
            ("{a}", "A", "operation"), ("{a}", "", "operation"), ("{a}mutation{b}", nil, "operation"),
            ("{a}mutation B{b}", nil, "operation"), ("{a}mutation B{b}", "B", "mutation b"),
            ("fragment A on B{a}", nil, "operation"),
            ("query K{a}", "\u{212A}", "operation"), ("query A{a}", "A\0", "operation"),
            ("query A{a}", " A", "operation"),
        ] as [(String, String?, String)])
    func `a name has to fit one operation`(text: String, name: String?, expected: String) {
        #expect(read(text, name) == expected)
    }

    @Test func `depth, length and names are bounded`() {
        func nested(_ count: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: count) + "a" + String(repeating: close, count: count)
        }
        #expect(read(nested(GraphQLDocument.deepest, "{a", "}").replacing("{aa}", with: "{a}")) == "query a")
        for text in [nested(10_000, "{a", "}"), nested(10_000, "{...", "}"), "{a(b:\(nested(10_000, "[", "]")))}"] {
            #expect(read(text) == "tooMuch")
        }
        let longest = String(repeating: "a", count: GraphQLDocument.longestName)
        #expect(read("query \(longest){\(longest)}") == "query \(longest)")
        #expect(read("{\(longest)a}") == "tooMuch" && read("query \(longest)a{a}") == "tooMuch")
        // Each fragment is read once, however often it is named.
        let fragments = (0..<5000).map { "fragment F\($0) on Q{...F\($0 + 1)...F\(($0 * 7) % 5000)}" }.joined()
        #expect(read("{...F0}\(fragments)fragment F5000 on Q{a}") == "query a")
    }
}
