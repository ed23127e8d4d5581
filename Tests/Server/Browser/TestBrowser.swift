import Curl
import Jansson
import Standards
import Testing
import Transport

/// A browser that keeps the cookies of the server as in RFC 6265bis and does not follow redirects.
///
/// It is a value: a copy keeps the cookies of that moment, and a new one has no cookies.
struct TestBrowser: Sendable {
    let server: TestServer
    /// Sent with every request.
    var header: [HeaderField] = []
    /// The cookies in the order of their creation, with full names.
    var cookies: [(name: String, value: String)] = []

    init(_ server: TestServer, header: [HeaderField] = []) {
        self.server = server
        self.header = header
    }

    /// Requests a path of the server, or a URL of the issuer or of a stand-in.
    mutating func get(_ address: String, header further: [HeaderField] = []) async throws -> OutboundResponse {
        try await send(.get, address, header: further)
    }

    /// Submits a form of a page of the server.
    mutating func post(
        _ path: String, _ fields: [String: String], header further: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await send(
            .post, path, header: [HeaderField("Content-Type", "application/x-www-form-urlencoded")] + further,
            body: Form.encoded(fields))
    }

    /// Submits the decision of the user at a stand-in.
    ///
    /// The address is the one at which the stand-in asks the user, or the page of the server before it.
    /// - Returns: The URL to which the stand-in redirects the browser.
    func consent(
        at address: String, as user: String = "alice", decision: String = "allow"
    ) async throws -> String {
        let url = try await beyondPage(address)
        let halves = url.split(separator: "?", maxSplits: 1).map(String.init)
        try #require(halves.count == 2 && halves[0].hasPrefix("http://127.0.0.1:"), "No stand-in asks at \(url)")
        let response = try await server.curl.transport.send(
            OutboundRequest(
                .post, halves[0] + "/decision",
                header: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("\(halves[1])&user=\(user)&decision=\(decision)".utf8)))
        return try #require(response[field: "Location"], "The stand-in answered \(response.text)")
    }

    /// Returns the URL to which the page before the provider leads; other addresses are returned unchanged.
    func beyondPage(_ address: String) async throws -> String {
        guard address.hasPrefix(server.issuer + "/authorize?") else { return address }
        var browser = self
        let page = try await browser.get(address)
        let choice = try #require(page.buttons("provider").first, "No page at \(address): \(page.text)")
        let left = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": choice])
        return try #require(left.location)
    }

    private mutating func send(
        _ method: OutboundRequest.Method, _ address: String, header further: [HeaderField], body: String = ""
    ) async throws -> OutboundResponse {
        let isOurs = address.hasPrefix("/") || address.hasPrefix(server.issuer + "/")
        let path = address.hasPrefix("/") ? address : String(address.dropFirst(server.issuer.count))
        var all = header + further
        if isOurs, !cookies.isEmpty {
            all.append(HeaderField("Cookie", cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")))
        }
        let response = try await server.curl.transport.send(
            OutboundRequest(
                method, isOurs ? "http://127.0.0.1:\(server.publicPort)\(path)" : address, header: all,
                body: Array(body.utf8), timeout: .seconds(60)))
        if isOurs { try keep(response) }
        return response
    }

    private mutating func keep(_ response: OutboundResponse) throws {
        for cookie in response.setCookies {
            // RFC 6265bis §4.1.3.2: a browser enforces the attributes of a name prefix.
            let promised = ["Path=/", "Secure"].allSatisfy(cookie.attributes.contains)
            if server.issuer.hasPrefix("https://") {
                try #require(cookie.name.hasPrefix("__Host-") && promised && !cookie.hasDomain)
            }
            if cookie.isGone {
                cookies.removeAll { $0.name == cookie.name }
            } else if let index = cookies.firstIndex(where: { $0.name == cookie.name }) {
                cookies[index].value = cookie.value
            } else {
                cookies.append((cookie.name, cookie.value))
            }
        }
    }
}

/// One `Set-Cookie` field.
struct SetCookie {
    let name: String
    let value: String
    let attributes: [String]

    var isGone: Bool { attributes.contains("Max-Age=0") }
    var hasDomain: Bool { attributes.contains { $0.hasPrefix("Domain") } }

    init(_ field: String) {
        let parts = field.split(separator: ";").map { String($0.drop { $0 == " " }) }
        let pair = (parts.first ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(pair.first ?? "")
        value = pair.count == 2 ? String(pair[1]) : ""
        attributes = Array(parts.dropFirst())
    }
}

enum Form {
    static func encoded(_ fields: [String: String]) -> String {
        Parameters(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).encoded
    }
}

extension OutboundResponse {
    var setCookies: [SetCookie] {
        header.filter { $0.name.lowercased() == "set-cookie" }.map { SetCookie($0.value) }
    }

    var location: String? { self[field: "Location"] }

    /// The query parameters of `Location`.
    var told: [String: String] {
        let query = (location ?? "").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let pairs = (try? Parameters.parse(query))?.pairs ?? []
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The hidden field of a page's form.
    var hiddenFlow: String? {
        text.firstMatch(of: /name="flow" value="([^"]*)"/).map { String($0.output.1) }
    }

    func buttons(_ name: String) -> [String] {
        text.matches(of: /<button[^>]* name="([a-z]*)" value="([^"]*)"/).filter { $0.output.1 == name }
            .map { String($0.output.2) }
    }

    /// The page's heading.
    var heading: String? {
        text.firstMatch(of: /<h1[^>]*>(.*)<\/h1>/).map { String($0.output.1).replacing(/<[^>]*>/, with: "") }
    }
}
