import Yams

/// What stands under one key, and where.
package struct Entry {
    /// The dotted path.
    let key: String
    /// The last part of the path.
    let name: String
    /// The line of the key; of a list's element, its own.
    let line: Int?
    let node: Node
    let reader: Reader

    /// An entry for what comes from the environment, so that its problems are reported under the key that it stands for.
    static func elsewhere(key: String, reader: Reader) -> Entry {
        Entry(key: key, name: key, line: nil, node: .scalar(.init("")), reader: reader)
    }

    func refuse(_ message: String) {
        reader.refuse(line: line, key: key, message)
    }

    /// Reports and answers `nil`, for the end of a `guard`.
    func refusing<Value>(_ message: String) -> Value? {
        refuse(message)
        return nil
    }

    func warn(_ message: String) {
        reader.warn(line: line, key: key, message)
    }
}

extension Entry {
    /// The keys below this one, in the order of the file; `nil` with a problem unless it is a mapping.
    ///
    /// An empty section (`clients:` and nothing below) has none.
    func members() -> [Entry]? {
        if isNull { return [] }
        guard case .mapping(let mapping) = node else {
            return refusing("a section is expected here: write its keys indented on the lines below")
        }
        var members: [Entry] = []
        for (keyNode, value) in mapping {
            guard let member = member(named: keyNode, value) else { continue }
            if let first = members.first(where: { $0.name == member.name }) {
                let place = first.line.map { ", first on line \($0)" } ?? ""
                member.refuse("is written twice\(place): keep one")
            } else {
                members.append(member)
            }
        }
        return members
    }

    private func member(named keyNode: Node, _ value: Node) -> Entry? {
        let line = keyNode.mark?.line
        guard case .scalar(let scalar) = keyNode else {
            reader.refuse(line: line, key: key, "has a key that is no text: write `name: value`")
            return nil
        }
        let name =
            scalar.string.hasPrefix(String(Document.duplicateMark))
            ? String(scalar.string.drop { $0 == Document.duplicateMark }) : scalar.string
        guard !name.isEmpty, !name.containsControlCharacters else {
            reader.refuse(line: line, key: key, "has a key that is empty or holds control characters")
            return nil
        }
        let path = key.isEmpty ? name : "\(key).\(name)"
        if name == "<<" {
            reader.refuse(line: line, key: path, "merge keys are not supported: write the keys out")
            return nil
        }
        return Entry(key: path, name: name, line: line, node: value, reader: reader)
    }

    /// The elements of a list; `nil` with a problem unless it is one.
    ///
    /// A single value is not taken for a list of one.
    func elements() -> [Entry]? {
        guard case .sequence(let sequence) = node else {
            return refusing("a list is expected here: write [one, another]")
        }
        return sequence.enumerated().map { position, element in
            Entry(
                key: "\(key)[\(position)]", name: name, line: element.mark?.line ?? line, node: element, reader: reader)
        }
    }

    /// A list whose every element is read alike; an element that is refused is left out, one that is repeated is refused.
    package func list<Element: Equatable>(of read: (Entry) -> Element?) -> [Element]? {
        elements()?.reduce(into: [Element]()) { known, entry in
            guard let element = read(entry) else { return }
            guard !known.contains(element) else { return entry.refuse("stands in this list twice: keep one") }
            known.append(element)
        }
    }

    /// A list, or one value in place of a list of one.
    func oneOrMore<Element: Equatable>(of read: (Entry) -> Element?) -> [Element]? {
        guard case .sequence = node else { return read(self).map { [$0] } }
        guard !isEmptyList else { return refusing("is an empty list: name one at least, or leave the key out") }
        return list(of: read)
    }
}

extension Entry {
    private var tag: Tag.Name? { node.scalar == nil ? nil : Tag.Name(rawValue: node.tag.rawValue) }

    var isNull: Bool { tag == .null }

    /// What stands there letter for letter; `nil` where it is a list or a section.
    var writtenText: String? { node.scalar?.string }

    /// A text to YAML as well: in quotes, or nothing that it reads as a number, a truth value or a date.
    var isText: Bool { tag == .str }

    var isEmptyList: Bool { node.sequence?.isEmpty == true }

    /// A plain `off`, `no` or `false` of YAML, or the word `off` in quotes.
    var isOff: Bool { node.bool == false || isText && writtenText == "off" }

    /// A text as it is written: not empty, without control characters and without blanks at its ends.
    ///
    /// Numbers are taken as the text that they are, since client ids of some providers are nothing but digits. What YAML
    /// reads as a truth value (`no`, `on`) is refused, since nobody can tell whether the word was meant.
    package func text() -> String? {
        guard case .scalar(let scalar) = node else {
            return refusing("a single text is expected here, not a list or a section")
        }
        switch tag {
        case .str?, .int?, .float?, .timestamp?, .value?: break
        case .bool?, .null?, .merge?: return refusing("YAML does not read this as a text: write it in quotes")
        default: return refusing("YAML tags are not supported: leave the tag out")
        }
        return wellFormed(scalar.string)
    }

    /// The rules of ``text()`` for a text that came from elsewhere.
    func wellFormed(_ text: String) -> String? {
        guard !text.isEmpty else { return refusing("is empty: write a value, or leave the key out") }
        guard !text.containsControlCharacters else { return refusing("holds a control character or a line break") }
        guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
            return refusing("begins or ends with a blank")
        }
        return text
    }

    func bool() -> Bool? {
        guard let value = node.bool else { return refusing("write true or false") }
        return value
    }

    package func integer(in range: ClosedRange<Int>) -> Int? {
        guard tag == .int, let value = writtenText.flatMap({ Int($0) }) else {
            return refusing("write a whole number, without quotes and without a unit")
        }
        guard range.contains(value) else {
            return refusing("must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// One of an enumeration's raw values.
    ///
    /// `off`, which YAML reads as a truth value, is understood.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type, except refused: [Choice] = [], because reason: String = ""
    ) -> Choice? where Choice.RawValue == String, Choice: Equatable {
        let word = isOff ? "off" : writtenText
        guard let value = word.flatMap(Choice.init(rawValue:)) else {
            let offered = Choice.allCases.filter { !refused.contains($0) }.map(\.rawValue)
            return refusing("write \(offered.inWords)")
        }
        guard !refused.contains(value) else { return refusing("\(value.rawValue) \(reason)") }
        return value
    }
}

extension [String] {
    /// `one`, `one or another`, `one, another or a third`.
    var inWords: String {
        guard let last, count > 1 else { return joined() }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}

extension String {
    /// C0, DEL and C1, and the separators that some readers take for a line break.
    var containsControlCharacters: Bool {
        unicodeScalars.contains {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || (0x2028...0x2029).contains($0.value)
        }
    }
}
