package import Standards

/// The way in which the browser carries a response to the application: the parameter `response_mode`.
package enum ResponseMode: Equatable, Sendable {
    /// A redirect with the response in the query (RFC 6749 §4.1.2), the default.
    case query
    /// A page whose form posts the response to the redirect URI (OAuth 2.0 Form Post Response Mode §2).
    case formPost(origin: String)
    /// A page that posts the response to the window that opened it (draft-sakimura-oauth-wmrm §4).
    case webMessage(origin: String)

    /// The values of `response_mode`.
    package static let names = ["query", "form_post", "web_message"]

    /// Reads a `response_mode` for one redirect URI.
    ///
    /// A page can carry a response only to an origin, which a redirect URI with a private-use scheme does not have.
    /// Whether the client has registered the origin is not checked; ``isAllowed(for:)`` does that.
    ///
    /// - Parameters:
    ///   - name: The value of the parameter, or `nil` if the request does not contain it.
    ///   - redirectURI: A registered redirect URI.
    init?(_ name: String?, at redirectURI: String) {
        switch (name ?? "query", RedirectURI.origin(of: redirectURI)) {
        case ("query", _): self = .query
        // A content security policy cannot name an IPv6 address (CSP Level 3 §2.3.1), so that it would stop the form.
        case ("form_post", let origin?) where !origin.utf8.contains(UInt8(ascii: "[")):
            self = .formPost(origin: origin)
        case ("web_message", let origin?): self = .webMessage(origin: origin)
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .query: "query"
        case .formPost: "form_post"
        case .webMessage: "web_message"
        }
    }

    /// Returns whether the client may receive responses in this mode.
    ///
    /// Any page can open the window that `web_message` posts to. The browser delivers the message only if that page has
    /// the origin of the redirect URI, which therefore must be one of the client's `origins`.
    func isAllowed(for client: RegisteredClient) -> Bool {
        switch self {
        case .query, .formPost: true
        // Both sides are ASCII, for which `==` of strings compares octets.
        case .webMessage(let origin): client.origins.contains(origin)
        }
    }
}

/// The redirect URI of an application, the `state` by which it recognizes the response, and the response mode.
package struct ReturnAddress: Sendable, Equatable {
    /// A registered redirect URI of the client.
    package let redirectURI: String
    package let state: String?
    package let mode: ResponseMode

    /// Returns a response in the response mode.
    ///
    /// - Parameters:
    ///   - answer: The `code`, or the error with its description (RFC 6749 §4.1.2).
    ///   - issuer: The issuer of this server, for the parameter `iss` (RFC 9207 §2).
    /// - Returns: The response with the application's `state` and with `iss`.
    package func response(_ answer: [(name: String, value: String)], issuer: String) -> AuthorizationResponse {
        var pairs = answer
        if let state { pairs.append(("state", state)) }
        pairs.append(("iss", issuer))
        switch mode {
        case .query: return .redirect(to: Secret(Parameters.append(Parameters(pairs).encoded, to: redirectURI)))
        case .formPost(let origin):
            return .page(ResponsePage(way: .form(action: redirectURI), origin: origin, parameters: pairs))
        case .webMessage(let origin):
            return .page(ResponsePage(way: .message, origin: origin, parameters: pairs))
        }
    }
}

/// A response to an authorization request, as the browser gets it.
package enum AuthorizationResponse: Sendable {
    case redirect(to: Secret)
    case page(ResponsePage)
}

/// The content of a page that carries a response to the application.
package struct ResponsePage: Sendable {
    package enum Way: Equatable, Sendable {
        /// A form that the browser posts to the redirect URI.
        case form(action: String)
        /// A message to the window that opened the page.
        case message
    }

    package let way: Way
    /// The only origin that may receive the response.
    package let origin: String
    /// The parameters of the response in their order; a handoff code is among them.
    package let parameters: [(name: String, value: Secret)]

    init(way: Way, origin: String, parameters: [(name: String, value: String)]) {
        self.way = way
        self.origin = origin
        self.parameters = parameters.map { ($0.name, Secret($0.value)) }
    }
}
