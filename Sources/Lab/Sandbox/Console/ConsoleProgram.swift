import Transport

/// A program that sends a recorded request, in a language that an application developer copies.
enum ConsoleProgram: String, CaseIterable {
    case curl, swift = "Swift", javaScript = "JavaScript", python = "Python"

    func text(_ request: RecordedRequest) -> String {
        let body = request.body.isEmpty ? nil : String(decoding: request.body, as: UTF8.self)
        return switch self {
        case .curl: Self.curl(request, body)
        case .swift: Self.swift(request, body)
        case .javaScript: Self.javaScript(request, body)
        case .python: Self.python(request, body)
        }
    }

    private static func curl(_ request: RecordedRequest, _ body: String?) -> String {
        let lines =
            ["curl --silent --include --request \(request.method.rawValue) \(shell(request.url))"]
            + request.header.map { "--header \(shell("\($0.name): \($0.value)"))" }
            + (body.map { ["--data-raw \(shell($0))"] } ?? [])
        return lines.joined(separator: " \\\n  ") + "\n"
    }

    private static func swift(_ request: RecordedRequest, _ body: String?) -> String {
        let header = request.header.map {
            "request.setValue(\(literal($0.value, .swift)), forHTTPHeaderField: \(literal($0.name, .swift)))\n"
        }
        return """
            import Foundation
            #if canImport(FoundationNetworking)
            import FoundationNetworking
            #endif

            guard let url = URL(string: \(literal(request.url, .swift))) else { exit(1) }
            var request = URLRequest(url: url)
            request.httpMethod = "\(request.method.rawValue)"
            \(header.joined())\(body.map { "request.httpBody = Data(\(literal($0, .swift)).utf8)\n" } ?? "")\
            let (answer, response) = try await URLSession.shared.data(for: request)
            if let response = response as? HTTPURLResponse { print(response.statusCode) }
            print(String(decoding: answer, as: UTF8.self))

            """
    }

    private static func javaScript(_ request: RecordedRequest, _ body: String?) -> String {
        """
        const response = await fetch(\(literal(request.url, .javaScript)), {
          method: "\(request.method.rawValue)",
          headers: {\(request.header.map { "\(literal($0.name, .javaScript)): \(literal($0.value, .javaScript))" }
            .joined(separator: ", "))},
        \(body.map { "  body: \(literal($0, .javaScript)),\n" } ?? "")});
        console.log(response.status);
        console.log(await response.text());

        """
    }

    private static func python(_ request: RecordedRequest, _ body: String?) -> String {
        """
        import urllib.error
        import urllib.request

        request = urllib.request.Request(
            \(literal(request.url, .python)),
            method="\(request.method.rawValue)",
            headers={\(request.header.map { "\(literal($0.name, .python)): \(literal($0.value, .python))" }
            .joined(separator: ", "))},
        \(body.map { "    data=\(literal($0, .python)).encode(),\n" } ?? ""))
        try:
            with urllib.request.urlopen(request) as response:
                print(response.status)
                print(response.read().decode())
        except urllib.error.HTTPError as error:
            print(error.code)
            print(error.read().decode())

        """
    }

    /// A word of a POSIX shell, in single quotes.
    private static func shell(_ text: String) -> String {
        "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    /// A string literal in double quotes.
    ///
    /// Every backslash is escaped, so that no part of the text is an interpolation in Swift.
    private static func literal(_ text: String, _ language: Self) -> String {
        var literal = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            // Two characters that end a line in JavaScript.
            case "\u{2028}", "\u{2029}", "\u{0}"..<"\u{20}", "\u{7F}":
                let digits = String(character.value, radix: 16)
                literal +=
                    language == .swift
                    ? "\\u{\(digits)}" : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: literal.unicodeScalars.append(character)
            }
        }
        return literal + "\""
    }
}
