/// What people read beside the controls of a page: labels (HTML, section 4.10.4), and the header of a table's row.
struct HTMLLabels {
    /// By the `id` of their controls.
    private(set) var ofControls: [String: String] = [:]
    private var open: (text: String, depth: Int)?
    private var header: String?

    /// The label or header that the present place belongs to; `nil` without one.
    var around: String? { open?.text ?? header }

    mutating func take(_ element: HTMLElement) {
        if let label = open, element.depth <= label.depth { open = nil }
        switch element.name {
        case "label":
            guard let text = Self.text(element) else { return }
            open = (text, element.depth)
            if let id = element.text("for"), ofControls.count < HTMLFormReader.most { ofControls[id] = text }
        case "tr", "table", "form", "/form": header = nil
        case "th": header = Self.text(element)
        default: break
        }
    }

    /// Without the colon at its end; `nil` for what is too long to be one.
    private static func text(_ element: HTMLElement) -> String? {
        guard let content = element.content, content.utf8.count <= 200 else { return nil }
        let words = content.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let text = words.hasSuffix(":") ? String(words.dropLast()) : words
        return text.isEmpty ? nil : text
    }
}
