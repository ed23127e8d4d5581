/// An external name without the characters that can make it look like something else.
///
/// - Control characters and line breaks become spaces. Sequences of spaces become one, and spaces at both ends are removed.
/// - Invisible characters are removed: bidi overrides, embeddings, isolates and marks, zero-width spaces, fillers, tags.
///   The joiners U+200C and U+200D, which Persian, Hindi and Bengali need, and the emoji selectors are kept after a
///   character that is not ASCII.
/// - At most four combining marks per letter are kept.
/// - At most 120 scalars of a name are kept, followed by an ellipsis if there were more. An empty result becomes an ellipsis.
enum DisplayName {
    static func shown(_ text: String) -> String { shown(text, atMost: 120) }

    /// Returns a text without such characters.
    ///
    /// - Parameter limit: The maximum number of scalars.
    /// - Returns: The text, with an ellipsis if it was longer.
    static func shown(_ text: String, atMost limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars {
            guard let next = replacement(for: scalar, after: kept.last) else { continue }
            marks = isMark(next) ? marks + 1 : 0
            guard marks <= 4 else { continue }
            guard kept.count < limit else {
                kept.append("…")
                break
            }
            kept.append(next)
        }
        if kept.last == " " { kept.removeLast() }
        return kept.isEmpty ? "…" : withLonelyMarkup(String(kept))
    }

    private static func replacement(for scalar: Unicode.Scalar, after last: Unicode.Scalar?) -> Unicode.Scalar? {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: last == nil || last == " " ? nil : " "
        case .privateUse, .surrogate: nil
        case .format: isKept(scalar, after: last) ? scalar : nil
        default:
            scalar.properties.isNoncharacterCodePoint
                || scalar.properties.isDefaultIgnorableCodePoint && !isKept(scalar, after: last) ? nil : scalar
        }
    }

    private static func isKept(_ scalar: Unicode.Scalar, after last: Unicode.Scalar?) -> Bool {
        guard let last, !last.isASCII else { return false }
        return ["\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}"].contains(scalar)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    /// Removes the combining characters after the five characters that HTML escapes.
    ///
    /// swift-mustache escapes by grapheme: it escapes `"`, but not `"` with a combining mark. Without this function such
    /// a quotation mark would end an attribute.
    private static func withLonelyMarkup(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for character in text {
            let markup = character.unicodeScalars.filter { "<>&\"'".unicodeScalars.contains($0) }
            result.append(contentsOf: markup.isEmpty ? character.unicodeScalars : markup)
        }
        return String(result)
    }
}
