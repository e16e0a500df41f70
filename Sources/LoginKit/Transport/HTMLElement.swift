import CXML
import Glibc
import Secrets

/// The present element of a page that is being walked, or a tag of a form.
struct HTMLElement {
    private let page: OpaquePointer
    private let marks: HTMLSource.Marks
    /// In lower case; `form` and `/form` for the tags of a form, which the parser reads as fields.
    let name: String
    let depth: Int

    init(page: OpaquePointer, name: String, depth: Int, marks: HTMLSource.Marks) {
        self.page = page
        self.depth = depth
        self.marks = marks
        let isMarked = { (mark: String) in name == "input" && Self.has(mark, page) }
        self.name = isMarked(marks.start) ? "form" : isMarked(marks.end) ? "/form" : name == "form" ? "" : name
    }

    private static func has(_ attribute: String, _ page: OpaquePointer) -> Bool {
        guard let value = cxml_attribute(page, attribute) else { return false }
        cxml_forget(value)
        return true
    }

    func text(_ attribute: String) -> String? {
        guard let value = cxml_attribute(page, attribute) else { return nil }
        defer { cxml_forget(value) }
        return marks.restored(String(cString: value))
    }

    /// The text inside it.
    var content: String? {
        guard let text = cxml_content(page) else { return nil }
        defer { cxml_forget(text) }
        return marks.restored(String(cString: text))
    }

    func secret(_ attribute: String) -> Secret? {
        guard let value = cxml_attribute(page, attribute) else { return nil }
        defer { cxml_forget(value) }
        let secret = Secret(copying: UnsafeRawBufferPointer(start: value, count: strlen(value)))
        guard strstr(value, marks.stem) != nil else { return secret }
        return Secret(marks.restored(secret.unprotectedText))
    }
}
