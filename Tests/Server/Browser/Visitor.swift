import Curl
import Jansson
import OAuth
import Testing
import Transport

/// One browser: keeps our cookies as RFC 6265bis has it, goes where a test sends it, and shows what came.
///
/// A value: a copy is the same browser in another moment, and another one is a browser without cookies.
struct Visitor: Sendable {
    let street: Street
    /// Sent with every request.
    var header: [HeaderField] = []
    /// In the order in which they were made, by their whole names.
    var cookies: [(name: String, value: String)] = []

    init(_ street: Street, header: [HeaderField] = []) {
        self.street = street
        self.header = header
    }

    /// - `address`: a path of ours, or a URL, which our issuer or a stand-in begins.
    mutating func get(_ address: String, header further: [HeaderField] = []) async throws -> OutboundResponse {
        try await send(.get, address, header: further)
    }

    /// As a form of our own pages is sent.
    mutating func post(
        _ path: String, _ fields: [String: String], header further: [HeaderField] = []
    ) async throws -> OutboundResponse {
        try await send(
            .post, path, header: [HeaderField("Content-Type", "application/x-www-form-urlencoded")] + further,
            body: Form.encoded(fields))
    }

    /// The person's answer at a stand-in.
    ///
    /// - `url`: where the stand-in asks.
    /// - Returns: where it sends the browser.
    func consent(
        at address: String, as user: String = "alice", decision: String = "allow"
    ) async throws -> String {
        let url = try await beyondPage(address)
        let halves = url.split(separator: "?", maxSplits: 1).map(String.init)
        try #require(halves.count == 2 && halves[0].hasPrefix("http://127.0.0.1:"), "No stand-in asks at \(url)")
        let answer = try await street.curl.transport.send(
            OutboundRequest(
                .post, halves[0] + "/decision",
                header: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("\(halves[1])&user=\(user)&decision=\(decision)".utf8)))
        return try #require(answer[field: "Location"], "The stand-in answered \(answer.text)")
    }

    /// Where a button of our page before the provider leads, if the address is that page's.
    func beyondPage(_ address: String) async throws -> String {
        guard address.hasPrefix(street.issuer + "/authorize?") else { return address }
        var visitor = self
        let page = try await visitor.get(address)
        let choice = try #require(page.buttons("provider").first, "No page at \(address): \(page.text)")
        let left = try await visitor.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": choice])
        return try #require(left.location)
    }

    private mutating func send(
        _ method: OutboundRequest.Method, _ address: String, header further: [HeaderField], body: String = ""
    ) async throws -> OutboundResponse {
        let isOurs = address.hasPrefix("/") || address.hasPrefix(street.issuer + "/")
        let path = address.hasPrefix("/") ? address : String(address.dropFirst(street.issuer.count))
        var all = header + further
        if isOurs, !cookies.isEmpty {
            all.append(HeaderField("Cookie", cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")))
        }
        let answer = try await street.curl.transport.send(
            OutboundRequest(
                method, isOurs ? "http://127.0.0.1:\(street.publicPort)\(path)" : address, header: all,
                body: Array(body.utf8), timeout: .seconds(60)))
        if isOurs { try keep(answer) }
        return answer
    }

    private mutating func keep(_ answer: OutboundResponse) throws {
        for cookie in answer.setCookies {
            // RFC 6265bis §4.1.3.2: what such a name promises, a browser insists on.
            let promised = ["Path=/", "Secure"].allSatisfy(cookie.attributes.contains)
            if street.issuer.hasPrefix("https://") {
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
