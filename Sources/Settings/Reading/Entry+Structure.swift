import Yams

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
