/// A small page: no script, nothing from elsewhere, readable without its style sheet.
struct Page {
    let title: String
    /// HTML, escaped by who wrote it.
    let content: String
    /// For more than a form.
    var isWide = false

    /// `form-action` is not set: browsers apply it to the redirects that follow a form, and these lead to any
    /// application.
    private static let policy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

    func answer(status: Int = 200) -> Answer {
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Self.escape(title))</title>
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <main\(isWide ? " class=\"wide\"" : "")>
            <h1>\(Self.escape(title))</h1>
            \(content)
            </main>
            </body>
            </html>

            """
        return Answer(
            status,
            header: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ], body: Array(html.utf8))
    }

    /// One paragraph of plain text.
    static func message(_ title: String, _ text: String, status: Int = 200) -> Answer {
        Page(title: title, content: "<p>\(escape(text))</p>").answer(status: status)
    }

    /// For text and for attribute values in double quotes.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
