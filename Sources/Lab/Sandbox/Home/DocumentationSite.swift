/// The documentation, which `scripts/docs` builds as a static site, below ``root``.
///
/// The files are read before the sandbox starts, so that no path of a request reaches the file system.
package struct DocumentationSite: Sendable {
    /// The path that the site was built for (`docc convert --hosting-base-path`).
    static let root = "/docs"

    private let files: [String: [UInt8]]
    private let start: String

    /// - Parameters:
    ///   - files: The content of each file by its path in the site, without a leading slash.
    ///   - start: The path of the first page, which `/docs` redirects to.
    package init(files: [String: [UInt8]], start: String) {
        self.files = files
        self.start = start
    }

    /// Returns `nil` if the path does not belong to the site.
    func answer(_ request: IncomingRequest) -> Answer? {
        guard request.path == Self.root || request.path.hasPrefix(Self.root + "/") else { return nil }
        guard request.method == "GET" else {
            return Page.message("Wrong method", "The documentation accepts only GET.", status: 405)
        }
        let path = String(request.path.dropFirst(Self.root.count).drop { $0 == "/" })
        if path.isEmpty { return .seeOther("\(Self.root)/\(start)") }
        if let content = files[path] { return Self.file(path, content) }
        // A page is the index of a folder, and its links to resources are absolute.
        let folder = path.hasSuffix("/") ? path : path + "/"
        if let content = files[folder + "index.html"] { return Self.file("index.html", content) }
        return Page.message("Not found", "The documentation has no page at this address.", status: 404)
    }

    private static func file(_ name: String, _ content: [UInt8]) -> Answer {
        let ending = name.split(separator: ".").last.map(String.init) ?? ""
        return Answer(
            200,
            header: [
                ("Content-Type", mediaTypes[ending] ?? "application/octet-stream"), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
            ], body: content)
    }

    /// DocC's pages contain scripts and styles of their own, but nothing of another origin.
    private static let policy =
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        + "base-uri 'self'; form-action 'none'; frame-ancestors 'none'"

    private static let mediaTypes = [
        "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/vnd.microsoft.icon",
        "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8", "json": "application/json", "png": "image/png",
        "svg": "image/svg+xml",
    ]
}
