/// The elements that the present one stands in, as far as they decide about fields.
struct HTMLPlaces {
    private struct Fieldset {
        let depth: Int
        /// The depth of its first legend while that is open.
        var legend: Int?
        var hadLegend = false
    }

    /// Where the tag of a form stands.
    struct FormStart {
        let depth: Int
        /// In a table a form contains nothing, wherever it ends (HTML, section 13.2.6.4.9).
        let isInTable: Bool
    }

    /// The names of the elements around the present one.
    private var path: [String] = []
    /// The depth of a `<template>`, whose content is no part of the page.
    private(set) var template: Int?
    /// The depth of an element whose content is text for a browser, and elements for libxml2.
    private(set) var text: Int?
    private(set) var isTextArea = false
    /// The depth of a drawing or a formula, in which tags have other meanings.
    private(set) var foreign: Int?
    /// The depth of a `<noscript>`, which is text for a browser that runs scripts.
    private(set) var noScript: Int?
    private(set) var dataList: Int?
    private(set) var group: (depth: Int, isDisabled: Bool)?
    /// The disabled ones.
    private var fieldsets: [Fieldset] = []

    /// The first legend of a disabled fieldset stays enabled (HTML, section 4.10.19.5).
    var isDisabled: Bool { fieldsets.contains { $0.legend == nil } }

    /// Leaves all that an element of this depth is not in.
    mutating func leave(_ depth: Int) {
        path.removeLast(max(path.count - depth, 0))
        let isOver = { (start: Int?) in start.map { depth <= $0 } ?? false }
        if isOver(template) { template = nil }
        if isOver(text) { (text, isTextArea) = (nil, false) }
        if isOver(foreign) { foreign = nil }
        if isOver(noScript) { noScript = nil }
        if isOver(dataList) { dataList = nil }
        if isOver(group?.depth) { group = nil }
        while let last = fieldsets.last, depth <= last.depth { fieldsets.removeLast() }
        for index in fieldsets.indices where isOver(fieldsets[index].legend) { fieldsets[index].legend = nil }
    }

    mutating func enter(_ element: HTMLElement) {
        let depth = element.depth
        defer {
            path += repeatElement("", count: max(depth - path.count, 0))
            path.append(element.name)
        }
        switch element.name {
        case "template": template = depth
        case "textarea": (text, isTextArea) = (depth, true)
        case "title", "iframe", "noembed", "noframes", "xmp": text = foreign == nil ? depth : nil
        // No end tag ends it.
        case "plaintext": text = foreign == nil ? -1 : nil
        case "noscript": noScript = noScript ?? depth
        case "svg", "math": foreign = foreign ?? depth
        case "datalist": dataList = dataList ?? depth
        case "optgroup": group = (depth, element.text("disabled") != nil)
        case "fieldset": if element.text("disabled") != nil { fieldsets.append(Fieldset(depth: depth)) }
        case "legend":
            guard let last = fieldsets.indices.last, fieldsets[last].depth == depth - 1, !fieldsets[last].hadLegend
            else { return }
            (fieldsets[last].legend, fieldsets[last].hadLegend) = (depth, true)
        default: break
        }
    }

    /// The tag closes a paragraph that it stands in.
    func formStart(_ element: HTMLElement) -> FormStart {
        let around = path.dropLast()
        let scope = around.lastIndex { Self.scopes.contains($0) || $0 == "button" } ?? -1
        let paragraph = around.lastIndex(of: "p").flatMap { $0 > scope ? $0 : nil }
        return FormStart(
            depth: paragraph ?? element.depth,
            isInTable: ["table", "thead", "tbody", "tfoot", "tr"].contains(around.last ?? ""))
    }

    /// The depth that has to be left until nothing is in the form any more; `nil` if its end tag closes it.
    func end(of form: FormStart, at end: HTMLElement) -> Int? {
        guard !form.isInTable else { return nil }
        let around = path.dropLast()
        // Out of these no end tag reaches, and the form stays open (HTML, section 13.2.4.2).
        if around.dropFirst(form.depth).contains(where: Self.scopes.contains) { return form.depth - 1 }
        // These the end tag closes (HTML, section 13.2.6.3).
        let implied = ["dd", "dt", "li", "optgroup", "option", "p", "rb", "rp", "rt", "rtc"]
        let open = around.count - around.reversed().prefix { implied.contains($0) }.count
        return open > form.depth ? form.depth : nil
    }

    private static let scopes = ["table", "td", "th", "caption", "marquee", "object", "applet"]
}
