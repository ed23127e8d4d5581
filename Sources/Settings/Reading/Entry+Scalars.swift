import Yams

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
