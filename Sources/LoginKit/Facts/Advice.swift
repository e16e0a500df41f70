/// The next step after a fault, as part of a sentence; empty if there is none. The commands in it that depend on what was typed are put in
/// when the fault is told.
package struct Advice: Equatable, Sendable, ExpressibleByStringInterpolation {
    /// A piece of the sentence.
    package enum Part: Equatable, Sendable {
        case text(String)
        /// The command at hand as `login`, with more options.
        case command([String])
        /// The ways to another store.
        case otherStores

        /// The command at hand as `login`.
        static var login: Part { .command([]) }

        static func login(_ options: String...) -> Part { .command(options) }
    }

    /// Takes `\(.login("--force"))` and `\(.otherStores)` beside text.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) {
            if case .text(let before)? = parts.last {
                parts[parts.count - 1] = .text(before + text)
            } else if !text.isEmpty {
                parts.append(.text(text))
            }
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) { appendLiteral("\(value)") }

        package mutating func appendInterpolation(_ part: Part) { parts.append(part) }
    }

    let parts: [Part]

    package init(stringLiteral text: String) { parts = text.isEmpty ? [] : [.text(text)] }

    package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
}
