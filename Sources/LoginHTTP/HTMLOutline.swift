internal import LoginCore
internal import Secrets

/// The forms of a page, put together from its elements one after the other.
struct HTMLOutline {
    struct Form {
        var id: String?
        var methods: [String]
        var actions: [String]
        var namesAction: Bool
        var isMultipart: Bool
        var fields: [PageField] = []
    }

    private(set) var base: String?
    private(set) var forms: [Form] = []
    private(set) var links: [(relations: [String], address: String)] = []
    private(set) var hasScripts = false
    /// Its title, and the program that says it made it.
    private(set) var names: [String] = []
    /// The form that is open, with its depth; one inside of it is none (HTML, section 13.2.6.4.7).
    private var open: (index: Int, depth: Int)?
    /// The depth of a `<template>`, whose content is no part of the page.
    private var template: Int?
    /// How many fields there are so far.
    private var count = 0
    /// The list that is open, with its depth.
    private var list: (form: Int, field: Int, depth: Int)?

    mutating func take(_ element: HTMLElement) {
        if let open, element.depth <= open.depth { self.open = nil }
        if let template, element.depth <= template { self.template = nil }
        if let list, element.depth <= list.depth { self.list = nil }
        guard template == nil else { return }
        switch element.name {
        case "template": template = element.depth
        case "base": base = base ?? element.text("href")
        case "form": begin(element)
        case "input", "button", "select", "textarea": add(element)
        case "option": offer(element)
        case "a", "area", "link": link(element)
        case "script": hasScripts = true
        case "title" where names.count < 2: names += [element.content].compactMap(\.self)
        case "meta" where names.count < 2 && element.text("name")?.lowercased() == "generator":
            names += [element.text("content")].compactMap(\.self)
        default: break
        }
    }

    private mutating func link(_ element: HTMLElement) {
        guard links.count < HTMLFormReader.most, let address = element.text("href"), !address.isEmpty else { return }
        let relations = (element.text("rel") ?? "").lowercased().split(separator: " ").map(String.init)
        // What a page is made of is no place to go to.
        guard element.name != "link" || relations.contains("service-desc") else { return }
        links.append((relations, address))
    }

    private mutating func begin(_ element: HTMLElement) {
        guard open == nil, forms.count < HTMLFormReader.most else { return }
        open = (forms.count, element.depth)
        forms.append(
            Form(
                id: element.text("id"), methods: [(element.text("method") ?? "get").lowercased()],
                actions: [element.text("action") ?? ""],
                namesAction: element.text("action") != nil,
                isMultipart: element.text("enctype")?.lowercased() == "multipart/form-data"))
    }

    /// A field belongs to the form around it, or to the one that it names.
    private mutating func add(_ element: HTMLElement) {
        guard let index = owner(of: element), element.text("disabled") == nil, count < HTMLFormReader.most else {
            return
        }
        count += 1
        let type = element.text("type")?.lowercased() ?? (element.name == "button" ? "submit" : "text")
        if ["button", "input"].contains(element.name), ["submit", "image"].contains(type) {
            if let action = element.text("formaction") { forms[index].actions.append(action) }
            if let method = element.text("formmethod") { forms[index].methods.append(method.lowercased()) }
        }
        guard let name = element.text("name"), !name.isEmpty else { return }
        let isBox = element.name == "input" && ["checkbox", "radio"].contains(type)
        let isTyped = ["input", "button"].contains(element.name)
        forms[index].fields.append(
            PageField(
                name: name, type: isTyped ? type : element.name, value: element.secret("value"),
                isChosen: !isBox || element.text("checked") != nil))
        if element.name == "select" { list = (index, forms[index].fields.count - 1, element.depth) }
    }

    /// An option of a list; without a `value` it is its text that would be sent, which nobody needs here.
    private mutating func offer(_ element: HTMLElement) {
        guard let list, let value = element.secret("value") else { return }
        forms[list.form].fields[list.field].offer(value, isChosen: element.text("selected") != nil)
    }

    private func owner(of element: HTMLElement) -> Int? {
        guard let id = element.text("form") else { return open?.index }
        return forms.firstIndex { $0.id == id }
    }
}
