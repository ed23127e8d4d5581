import Yams

/// The value of one key, with its position in the file.
package struct Entry {
    /// The dotted path.
    let key: String
    /// The last part of the path.
    let name: String
    /// The line of the key, or of the list element.
    let line: Int?
    let node: Node
    let reader: Reader
    /// Whether the key may also be `off`, which the messages about other values then name.
    var allowsOff = false

    /// An entry for a value from the environment, whose problems are reported under the key that it replaces.
    static func elsewhere(key: String, reader: Reader) -> Entry {
        Entry(key: key, name: key, line: nil, node: .scalar(.init("")), reader: reader)
    }

    /// Whether it is an element of a list, whose key has a position.
    var isElement: Bool { key.hasSuffix("]") }

    func refuse(_ message: String) {
        reader.refuse(line: line, key: key, message)
    }

    /// Reports a problem and returns `nil`, for use at the end of a `guard`.
    func refusing<Value>(_ message: String) -> Value? {
        refuse(message)
        return nil
    }

    func warn(_ message: String) {
        reader.warn(line: line, key: key, message)
    }

    /// The end of a message that says what to write.
    var orOff: String { allowsOff ? ", or off" : "" }
}

extension Entry {
    /// The keys below this one, in the order of the file.
    ///
    /// Reports a problem and returns `nil` unless it is a mapping.
    ///
    /// An empty section (`clients:` without content) has none.
    func members() -> [Entry]? {
        if isNull { return [] }
        guard case .mapping(let mapping) = node else {
            return refusing(
                key.isEmpty
                    ? "must consist of keys, each with a colon and its value or indented keys after it, and is one text or a list"
                    : "must be a section: write its keys indented on the lines below")
        }
        var members: [Entry] = []
        for (keyNode, value) in mapping {
            guard let member = member(named: keyNode, value) else { continue }
            if let first = members.first(where: { $0.name == member.name }) {
                let place = first.line.map { ", first on line \($0)" } ?? ""
                member.refuse("occurs twice\(place): keep one")
            } else {
                members.append(member)
            }
        }
        return members
    }

    /// The key of this name below this one; `nil` if it is missing or `null`, or if this is no mapping.
    ///
    /// Nothing is reported.
    func peek(_ name: String) -> Entry? {
        guard let value = node[name] else { return nil }
        let entry = Entry(
            key: "\(key).\(name)", name: name, line: value.mark?.line ?? line, node: value, reader: reader)
        return entry.isNull ? nil : entry
    }

    private func member(named keyNode: Node, _ value: Node) -> Entry? {
        let line = keyNode.mark?.line
        guard case .scalar(let scalar) = keyNode else {
            reader.refuse(
                line: line, key: key,
                keyNode.mapping != nil ? Self.template : "has a key that is not a text: write `name: value`")
            return nil
        }
        let name =
            scalar.string.hasPrefix(String(Document.duplicateMark))
            ? String(scalar.string.drop { $0 == Document.duplicateMark }) : scalar.string
        if let objection = name.isEmpty ? "is empty: write a name" : name.objectionToCharacters() {
            reader.refuse(line: line, key: key, "has a key that \(objection)")
            return nil
        }
        let path = key.isEmpty ? name : "\(key).\(name)"
        if name == "<<" {
            reader.refuse(line: line, key: path, "merge keys are not supported: write the keys out")
            return nil
        }
        return Entry(key: path, name: name, line: line, node: value, reader: reader)
    }

    /// The elements of a list.
    ///
    /// Reports a problem and returns `nil` unless it is a list.
    ///
    /// A single value is not accepted as a list of one element.
    func elements() -> [Entry]? {
        guard case .sequence(let sequence) = node else {
            return refusing("must be a list: write [one, another]")
        }
        return sequence.enumerated().map { position, element in
            Entry(
                key: "\(key)[\(position)]", name: name, line: element.mark?.line ?? line, node: element, reader: reader)
        }
    }

    /// Reads every element of a list with the same function.
    ///
    /// Omits refused elements and refuses repeated ones.
    package func list<Element: Equatable>(of read: (Entry) -> Element?) -> [Element]? {
        elements()?.reduce(into: [Element]()) { known, entry in
            guard let element = read(entry) else { return }
            guard !known.contains(element) else { return entry.refuse("is in this list twice: keep one") }
            known.append(element)
        }
    }

    /// Reads a list, or a single value as a list of one element.
    func oneOrMore<Element: Equatable>(of read: (Entry) -> Element?) -> [Element]? {
        guard case .sequence = node else { return read(self).map { [$0] } }
        guard !isEmptyList else {
            return refusing("is an empty list: write at least one element, or leave the key out")
        }
        return list(of: read)
    }
}

extension Entry {
    /// YAML reads `{{ name }}`, without quotation marks, as a section whose key is a section.
    private static let template = "is a placeholder of a template, which has to be replaced before: write the value"

    private var tag: Tag.Name? { node.scalar == nil ? nil : Tag.Name(rawValue: node.tag.rawValue) }

    var isNull: Bool { tag == .null }

    /// The text exactly as written; `nil` for a list or a section.
    var writtenText: String? { node.scalar?.string }

    /// The texts of a list exactly as written, or a single one.
    var writtenTexts: [String] { node.sequence?.compactMap { $0.scalar?.string } ?? [writtenText].compactMap(\.self) }

    /// Whether YAML also treats the value as text: it is in quotes, or is not a number, a boolean or a date.
    var isText: Bool { tag == .str }

    var isSection: Bool { node.mapping != nil }

    /// Whether the value is `{{ name }}` without quotation marks.
    var isTemplate: Bool { node.mapping?.first?.key.mapping != nil }

    /// Whether a problem of this value, or of a part of it, has been reported.
    var hasProblem: Bool { reader.hasProblem(at: key) }

    var isEmptyList: Bool { node.sequence?.isEmpty == true }

    /// Whether the value is a plain `off`, `no` or `false` of YAML, or the word `off` in quotes.
    var isOff: Bool { node.bool == false || isText && writtenText == "off" }

    /// The text as written: not empty, without control characters, and without spaces at its start and end.
    ///
    /// A number is accepted as text, because some providers have client ids of digits only. A YAML boolean (`no`, `on`)
    /// is refused, because the word may have been meant as text or as a boolean.
    package func text() -> String? {
        guard case .scalar(let scalar) = node else {
            return refusing(
                isTemplate
                    ? Self.template : "must be a single text: do not write a list or a section")
        }
        switch tag {
        case .str?, .int?, .float?, .timestamp?, .value?: break
        // A list element with nothing after its hyphen, or only a comment.
        case .null? where scalar.string.isEmpty: break
        case .bool?, .null?, .merge?:
            return refusing(
                "is not a text in YAML: if the value is this very word, write it in quotes; otherwise write another value, or leave "
                    + "it out")
        default:
            return refusing(
                "has a YAML tag, which is not supported: leave the tag out, or write a value that begins with ! in quotation "
                    + "marks")
        }
        return wellFormed(scalar.string)
    }

    /// Applies the rules of ``text()`` to a text from another source.
    func wellFormed(_ text: String) -> String? {
        guard !text.isEmpty else { return refusing("is empty: write a value, or leave out the key") }
        if let objection = text.objectionToCharacters() { return refusing(objection) }
        return text
    }

    /// Reads the path of a file or of a socket, which is not in quotation marks of its own.
    func path() -> String? { text().flatMap { unquoted($0) } }

    /// Refuses a path that does not begin with a slash.
    ///
    /// - Parameter form: What to write.
    /// - Returns: The path; `nil` if it is refused.
    func absolute(_ path: String, _ form: String) -> String? {
        if path.hasPrefix("/") { return path }
        if path.hasPrefix("file:/") { return refusing("\(form), without file: before it") }
        let isExpanded = ["~", "%"].contains(where: path.hasPrefix) || path.contains("$")
        return refusing(isExpanded ? "\(form); ~, variables such as $NAME, and %d are not replaced here" : form)
    }

    /// Refuses a path in quotation marks, which a shell would have removed.
    ///
    /// - Parameter origin: The words that name its source; `nil` for the value of this key.
    /// - Returns: The path; `nil` if it is refused.
    func unquoted(_ path: String, from origin: String? = nil) -> String? {
        guard let quote = path.first, "\"'`“”‘’".contains(quote) else { return path }
        return refusing(
            "\(origin.map { "\($0) " } ?? "")is in quotation marks, which are not part of the value: remove them")
    }

    func bool() -> Bool? {
        guard let value = node.bool else { return refusing("write true or false, without quotes") }
        return value
    }

    /// Reads a whole number without a zero before it, which means octal digits in YAML 1.1, and nothing in YAML 1.2.
    package func integer(in range: ClosedRange<Int>) -> Int? {
        if let digits = writtenText?.drop(while: { "+-".contains($0) }), digits.hasPrefix("0"), digits.count > 1,
            digits.consists(of: .digits)
        {
            return refusing(
                "has a 0 before the number, which versions of YAML read differently: write the number in decimal, without it"
            )
        }
        guard tag == .int, let value = writtenText.flatMap({ Int($0) }) else {
            return refusing("write a whole number, without quotes and without a unit\(orOff)")
        }
        guard range.contains(value) else {
            return refusing("must be from \(range.lowerBound) to \(range.upperBound)\(orOff)")
        }
        return value
    }

    /// Reads one of an enumeration's raw values.
    func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) -> Choice? where Choice.RawValue == String {
        choice(among: Choice.allCases.map { ($0.rawValue, $0) })
    }

    /// Reads a word with a meaning.
    ///
    /// A plain `off`, which is a boolean in YAML, is accepted as the word.
    func choice<Choice>(among words: [(word: String, meaning: Choice)]) -> Choice? {
        let written = isOff ? "off" : writtenText
        return words.first { $0.word == written }?.meaning ?? refusing("write \(words.map(\.word).inWords)\(orOff)")
    }
}

extension [String] {
    /// `one`, `one or another`, `one, another or a third`.
    var inWords: String {
        guard let last, count > 1 else { return joined() }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}

extension Set<UInt8> {
    static let digits = Set("0123456789".utf8)
    static let lowerCaseAndDigits = digits.union("abcdefghijklmnopqrstuvwxyz".utf8)
    static let lettersAndDigits = lowerCaseAndDigits.union("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
}

extension StringProtocol {
    /// Whether each character is one of a set of ASCII characters, or one of a few others.
    func consists(of characters: Set<UInt8>, or others: String = "") -> Bool {
        utf8.allSatisfy { characters.contains($0) || others.utf8.contains($0) }
    }
}

extension Unicode.Scalar {
    /// The code point as `U+00A0`.
    var notation: String {
        let code = String(value, radix: 16, uppercase: true)
        return "U+\(String(repeating: "0", count: max(0, 4 - code.count)))\(code)"
    }

    /// Whether it is a C0, DEL or C1 character, or a separator that some programs treat as a line break.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || (0x2028...0x2029).contains(value)
    }
}

extension String {
    var containsControlCharacters: Bool { unicodeScalars.contains(where: \.isControl) }

    /// Names the first control character, or space at the start or end, and its place; `nil` if there is none.
    ///
    /// - Parameter areFormatsRefused: Whether characters of the category Cf are refused too, such as U+200B.
    /// - Returns: A sentence whose subject, the text, is left out.
    func objectionToCharacters(areFormatsRefused: Bool = false) -> String? {
        let (first, last) = (unicodeScalars.startIndex, unicodeScalars.indices.last)
        for (index, scalar) in zip(unicodeScalars.indices, unicodeScalars)
        where scalar.isControl || (index == first || index == last) && scalar.properties.isWhitespace
            || areFormatsRefused && scalar.properties.generalCategory == .format
        {
            let name =
                switch scalar {
                case "\n", "\r": "a line break"
                case " ": "a space"
                default: "the invisible character \(scalar.notation)"
                }
            let place = index == first ? "at its start" : index == last ? "at its end" : "within it"
            return "contains \(name) \(place): remove it"
        }
        return nil
    }
}
