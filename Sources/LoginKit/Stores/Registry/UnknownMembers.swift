import LoginCore

/// The members of a JSON object that this version does not know, kept so that a save does not lose them: a newer authctl that
/// shares the state folder may have written them.
struct UnknownMembers: Equatable, Sendable {
    private var values: [String: JSONValue] = [:]

    init() {}

    /// - Parameter known: the members that the type reads by itself.
    init(of decoder: any Decoder, besides known: Set<String>) {
        guard let form = decoder as? JSONForm, case .object(let members) = form.value else { return }
        for (name, value) in members where !known.contains(name) { values[name] = value }
    }

    func encode(into container: inout KeyedEncodingContainer<FormKey>) throws {
        for (name, value) in values { try container.encode(value, forKey: FormKey(stringValue: name)) }
    }
}

/// Where in a list each name is, so that finding one does not take longer in a longer list.
struct NamePlaces: Equatable, Sendable {
    private var places: [String: Int] = [:]
    /// Whether a name that is not here is not in the list either. A list that has changed is searched then.
    var isComplete = false

    init() {}

    init(_ names: [String]) {
        places = Dictionary(minimumCapacity: names.count)
        for (place, name) in names.enumerated() { places[name] = places[name] ?? place }
        isComplete = true
    }

    /// - Parameter isMeant: whether an element is the one of this name, to the byte.
    func place<Element>(of name: String, in list: [Element], _ isMeant: (Element) -> Bool) -> Int? {
        let place = places[name]
        if let place, place < list.count, isMeant(list[place]) { return place }
        return isComplete && place == nil ? nil : list.firstIndex(where: isMeant)
    }

    /// Always equal: the names follow from the list itself.
    static func == (left: NamePlaces, right: NamePlaces) -> Bool { true }
}
