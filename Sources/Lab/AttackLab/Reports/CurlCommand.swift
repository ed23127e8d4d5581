/// A request as a line for a shell.
enum CurlCommand {
    /// Nil for what is not HTTP, or is longer than anyone would paste.
    static func text(_ request: Request, base: String) -> String? {
        guard request.raw == nil, request.body.count <= 4096, request.target.utf8.count <= 4096 else { return nil }
        var words = ["curl", "-si", "--path-as-is"]
        if request.method != (request.body.isEmpty ? "GET" : "POST") { words += ["-X", quoted(request.method)] }
        for (name, value) in request.fields { words += ["-H", quoted("\(name): \(value)")] }
        if !request.body.isEmpty {
            words += ["--data-binary", quoted(String(decoding: request.body, as: UTF8.self))]
        }
        return (words + [quoted(base + request.target)]).joined(separator: " ")
    }

    /// In single quotes, where nothing but the quote itself means anything.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
