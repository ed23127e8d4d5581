package import OAuth

/// Where an application gets its answer, and what it gave us to know the answer by.
package struct ReturnAddress: Sendable, Equatable {
    /// One of the client's.
    package let redirectURI: String
    package let state: String?

    /// The redirect URI with an answer behind it (RFC 6749 §4.1.2), the application's `state`, and `iss` (RFC 9207 §2).
    package func url(with answer: [(name: String, value: String)], issuer: String) -> Secret {
        var pairs = answer
        if let state { pairs.append(("state", state)) }
        pairs.append(("iss", issuer))
        // RFC 6749 §3.1.2: a query of the redirect URI's own is kept.
        let separator = redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return Secret(redirectURI + separator + Parameters(pairs).encoded)
    }
}
