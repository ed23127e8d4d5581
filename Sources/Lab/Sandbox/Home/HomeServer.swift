package import Transport

/// The server that the home page signs in at, and the way to it.
package struct HomeServer: Sendable {
    /// Its issuer, an origin without a trailing slash.
    let publicURL: String
    let transport: HTTPTransport

    /// - Parameters:
    ///   - publicURL: such as `http://127.0.0.1:8080`, as the server's own configuration has it.
    ///   - transport: must allow `http` to loopback.
    package init(publicURL: String, transport: HTTPTransport) {
        self.publicURL = publicURL
        self.transport = transport
    }

    /// Where a provider may send the browser: back to the server, or to the home page at that origin.
    func redirectURIs(of provider: String, home: String) -> [String] {
        ["\(publicURL)/callback/\(provider)", home + HomeClient.signInCallbackPath]
    }
}
