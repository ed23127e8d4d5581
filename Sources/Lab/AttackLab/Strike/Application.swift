/// The applications that the server knows, as far as attacks need them.
package struct Application: Sendable {
    var clientID = "my-app"
    /// Another application of the same server.
    var otherClientID = "other-app"
    var provider = "yahoo.com"
    /// Where the browser flow returns to: https, so that it does so without a page between.
    var redirectURI = "https://app.example/cb"
    var otherRedirectURI = "https://other.example/cb"
    /// For codes and sessions of `yahoo.com` and `twitter.com`, which the application gets by itself.
    var yahooRedirectURI = "com.example.app:/yahoo"
    var xRedirectURI = "com.example.app:/x"
    /// An origin from which the application's pages may ask.
    var origin = "https://app.example"
    /// Whether the server knows that origin.
    private(set) var hasOrigin = true

    /// Those of the test bed and of the naive backend.
    package init() {}

    /// - `otherClientID`: nil if there is no other client; then an unknown id is used.
    /// - `origin`: nil where there is none, and only others' are tried.
    package init(
        clientID: String, otherClientID: String?, provider: String, redirectURI: String, providerRedirectURI: String,
        origin: String?
    ) {
        self.clientID = clientID
        self.otherClientID = otherClientID ?? "no-such-application"
        self.provider = provider
        self.redirectURI = redirectURI
        yahooRedirectURI = providerRedirectURI
        xRedirectURI = providerRedirectURI
        hasOrigin = origin != nil
        if let origin { self.origin = origin }
    }
}
