/// Text for XML and HTML.
enum Markup {
    /// Scalar by scalar, so that a quotation mark with a combining mark behind it is one too; what XML 1.0 cannot hold
    /// is left out.
    static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;".unicodeScalars
            case "<": escaped += "&lt;".unicodeScalars
            case ">": escaped += "&gt;".unicodeScalars
            case "\"": escaped += "&quot;".unicodeScalars
            case "'": escaped += "&#39;".unicodeScalars
            case "\n", "\t": escaped.append(scalar)
            case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): break
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
