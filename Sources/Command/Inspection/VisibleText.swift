/// Text of a stranger's, fit for a terminal.
enum VisibleText {
    /// Control and format characters as `\u{1b}`: a claim shall not draw a line of its own, or move the cursor.
    static func of(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }
}
