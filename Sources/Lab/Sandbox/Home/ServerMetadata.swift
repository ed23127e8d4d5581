import Jansson

/// Where the server's endpoints are (RFC 8414 §3), as it says itself.
struct ServerMetadata {
    private let document: JSON
    private let issuer: String

    init(_ document: JSON, of server: HomeServer) {
        self.document = document
        issuer = server.publicURL
    }

    static func request(to server: HomeServer) -> RecordedRequest {
        .get(server.publicURL + "/.well-known/oauth-authorization-server")
    }

    /// §3.3: a document of another issuer is not used.
    var isOfServer: Bool { document["issuer"]?.string == issuer }

    var authorization: String { endpoint("authorization_endpoint", or: "/authorize") }
    var token: String { endpoint("token_endpoint", or: "/token") }
    var deviceAuthorization: String { endpoint("device_authorization_endpoint", or: "/device_authorization") }

    private func endpoint(_ name: String, or path: String) -> String {
        guard let url = document[name]?.string, url.hasPrefix(issuer + "/") else { return issuer + path }
        return url
    }
}
