internal import Foundation

/// The HTTP server on 127.0.0.1 that waits for the redirect of one flow.
struct RedirectServer: Sendable {
    let listener: LoopbackListener
    /// The path of the redirect URI.
    let path: String
    /// The state of the flow.
    let state: String
    /// The text of the last page.
    let page: String
    let timing: Timing

    /// The number of seconds in which a request must arrive: browsers open connections in advance, which may stay silent.
    private static let patience: TimeInterval = 30

    var redirectURI: String { "http://127.0.0.1:\(listener.port)\(path)" }

    private enum Event: Sendable {
        case opened
        case accepted(LoopbackConnection)
        /// A connection ended, with the redirect if it was one.
        case served(URL?)
        case timedOut
    }

    /// Waits for the redirect.
    ///
    /// - Parameters:
    ///   - timeout: The number of seconds.
    ///   - open: Shows the first page to the user.
    /// - Returns: The URL to which the user was redirected.
    /// - Throws: The error of `open` or of the listener, or ``TokenExchangeError``.
    func redirect(within timeout: TimeInterval, open: @escaping @Sendable () async throws -> Void) async throws -> URL {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await open()
                return .opened
            }
            group.addTask {
                try await timing.pause(timeout)
                return .timedOut
            }
            group.addTask { .accepted(try await listener.accept()) }
            while let event = try await group.next() {
                switch event {
                case .opened, .served(nil): break
                case .accepted(let connection):
                    group.addTask { .served(await serve(connection)) }
                    group.addTask { .accepted(try await listener.accept()) }
                case .served(let url?): return url
                case .timedOut:
                    throw TokenExchangeError(
                        "timed_out", code: "auth/timeout", "The user did not finish the sign-in in time.")
                }
            }
            throw TokenExchangeError.cancelled
        }
    }

    /// Answers one request.
    ///
    /// - Returns: The URL of the redirect; `nil` for any other request.
    private func serve(_ connection: LoopbackConnection) async -> URL? {
        guard let head = await head(of: connection) else { return nil }
        let request = RedirectRequest(head)
        let url = request?.redirect(to: redirectURI, state: state)
        let answer =
            url == nil
            ? RedirectResponse(status: "404 Not Found", text: "This is not the page of a sign-in.")
            : RedirectResponse(status: "200 OK", text: page)
        try? await connection.finish(writing: answer.octets)
        return url
    }

    /// Reads the head of a request; `nil` if it does not arrive in time or is longer than 16 KiB.
    private func head(of connection: LoopbackConnection) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try? await Self.readHead(connection) }
            group.addTask {
                try? await timing.pause(Self.patience)
                return nil
            }
            return await group.next() ?? nil
        }
    }

    private static func readHead(_ connection: LoopbackConnection) async throws(LoopbackError) -> String? {
        var octets: [UInt8] = []
        while octets.count < 16 * 1024 {
            let part = try await connection.read(upTo: 4096)
            guard !part.isEmpty else { return nil }
            octets += part
            let text = String(decoding: octets, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") { return String(text[..<end.lowerBound]) }
        }
        return nil
    }
}

/// The head of an HTTP request to a ``RedirectServer``.
struct RedirectRequest: Sendable {
    private let target: String
    private let host: String?

    /// Returns `nil` if it is not a GET request of HTTP/1.
    init?(_ head: String) {
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        guard words.count == 3, words[0] == "GET", words[2].hasPrefix("HTTP/1.") else { return nil }
        target = words[1]
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
        host = hosts.count == 1 ? hosts[0].dropFirst("host:".count).trimmingCharacters(in: .whitespaces) : nil
    }

    /// Returns the URL of the request if it is the redirect of a flow.
    ///
    /// A web page can send any request to a loopback port. It cannot know the state, and only a page of another name that
    /// was made to mean 127.0.0.1 could read the response: the `Host` field is then that name.
    func redirect(to redirectURI: String, state: String) -> URL? {
        guard let host, let url = URL(string: "http://" + host + target), target.hasPrefix("/"),
            url.absoluteString.hasPrefix(redirectURI + "?"), RedirectParameters(url)["state"] == state
        else { return nil }
        return url
    }
}

/// The response of a ``RedirectServer``: a page with one sentence, which loads and stores nothing.
struct RedirectResponse: Sendable {
    let octets: [UInt8]

    init(status: String, text: String) {
        let escaped = text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        let page = """
            <!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
            <title>\(escaped)</title></head><body><p>\(escaped)</p></body></html>
            """
        let head = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
            "Cache-Control: no-store", "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        octets = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
    }
}
