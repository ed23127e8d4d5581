/// A name from outside, without the characters that make a name look like something else.
///
/// - Controls and line breaks become spaces, of which one stays; none stays at either end.
/// - What cannot be seen goes: bidi overrides, embeddings, isolates and marks, zero-width spaces, fillers, tags. The
///   joiners U+200C and U+200D, which Persian, Hindi and Bengali need, and the selectors of emoji stay after a
///   character that is not ASCII.
/// - Of marks above or below one letter, four stay.
/// - At most 120 scalars stay, followed by an ellipsis if there were more. If nothing stays, the ellipsis stands alone.
enum DisplayName {
    static func shown(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars {
            guard let next = replacement(for: scalar, after: kept.last) else { continue }
            marks = isMark(next) ? marks + 1 : 0
            guard marks <= 4 else { continue }
            guard kept.count < 120 else {
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

    /// Takes from the five characters that HTML escapes all that forms one grapheme with them.
    ///
    /// swift-mustache escapes by grapheme: it looks for `"` and passes over `"` with a combining mark, which would end
    /// an attribute.
    private static func withLonelyMarkup(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for character in text {
            let markup = character.unicodeScalars.filter { "<>&\"'".unicodeScalars.contains($0) }
            result.append(contentsOf: markup.isEmpty ? character.unicodeScalars : markup)
        }
        return String(result)
    }
}
