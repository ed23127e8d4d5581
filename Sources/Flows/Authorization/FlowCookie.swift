internal import JOSE
package import OAuth
internal import OpenSSL

/// A browser flow on its way: everything about it, sealed, under a name that only whoever holds the flow's handle knows.
///
/// The handle is what comes back through the provider (`state`, or the OAuth 1.0a request token) or through our own
/// form. Several flows in one browser do not meet.
package struct FlowCookie: Sendable {
    /// Characters of a cookie's name, without prefix.
    package let name: String
    package let value: Secret

    /// Of a flow's handle.
    package static func name(of handle: String) -> String {
        "flow-" + String(Base64URL.encode(SHA256.hash(Array("token-exchange flow\0\(handle)".utf8))).prefix(22))
    }
}

/// The flows that a browser sent along, by the names of their cookies.
package typealias FlowCookies = [String: Secret]
