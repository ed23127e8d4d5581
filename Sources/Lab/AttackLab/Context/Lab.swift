internal import Foundation

/// The target of a run: a server, and the means of the attacker.
package struct Lab: Sendable {
    package let server: Wire
    package let admin: Wire?
    /// The requirements of attacks that this target meets.
    package let offers: Set<Need>
    let application: Application
    let standIns: StandIns?
    let testBed: TestBed?
    /// The log of the attacked server.
    let log: LogFile?
    let pace: Pace?
    let supplies: Supplies?
    /// Whether every attack searches the log for its secrets.
    ///
    /// If not, only the attacks on the log do.
    var watchesLog = true
    /// The stolen seal key; `nil` if it is unknown.
    var sealKey: StolenSealKey?

    /// The current time in seconds since 1970.
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// Returns a part that the attack needs, or throws ``Inconclusive``.
    func needed<Part>(_ part: Part?, _ name: String) throws -> Part {
        guard let part else { throw Inconclusive("There are no \(name) here.") }
        return part
    }
}

/// The applications in the configuration of the server that attacks use.
package struct Application: Sendable {
    var clientID = "my-app"
    /// Another application of the same server.
    var otherClientID = "other-app"
    var provider = "yahoo.com"
    /// The redirect URI of the browser flow.
    ///
    /// It has the scheme https, so that the server shows no page before it.
    var redirectURI = "https://app.example/cb"
    var otherRedirectURI = "https://other.example/cb"
    /// The redirect URI for codes and sessions of `yahoo.com` that the application obtains itself.
    var yahooRedirectURI = "com.example.app:/yahoo"
    var xRedirectURI = "com.example.app:/x"
    var discoveredRedirectURI = "com.example.app:/op"
    /// The web origin of the application's pages.
    var origin = "https://app.example"
    /// Whether that origin is configured.
    private(set) var hasOrigin = true

    /// Makes the applications of the test bed and of the naive backend.
    package init() {}

    /// - `otherClientID`: `nil` if there is no other client; then an unknown id is used.
    /// - `origin`: `nil` if the client has none; then only foreign origins are tried.
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
        discoveredRedirectURI = providerRedirectURI
        hasOrigin = origin != nil
        if let origin { self.origin = origin }
    }

    /// Returns the redirect URI for codes and sessions of a provider that the application obtains itself.
    func providerRedirectURI(at provider: String) -> String {
        switch provider {
        case "twitter.com": xRedirectURI
        case "op.example": discoveredRedirectURI
        default: yahooRedirectURI
        }
    }
}

/// Credentials that the tester supplies for a server without stand-ins.
package struct Supplies: Sendable {
    /// A genuine ID token for this server and the verifier of its nonce.
    let idToken: (token: String, nonceVerifier: String)?
    /// An ID token that the provider issued to another application.
    let foreignIDToken: String?
    /// An access token of the provider.
    let accessToken: String?

    package init(
        idToken: (token: String, nonceVerifier: String)?, foreignIDToken: String?, accessToken: String?
    ) {
        self.idToken = idToken
        self.foreignIDToken = foreignIDToken
        self.accessToken = accessToken
    }
}

/// The log of a server, to which lines are added.
struct LogFile: Sendable {
    let path: String

    /// The current length in octets.
    var end: Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Returns the text after a position.
    func text(since start: Int) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? file.close() }
        try? file.seek(toOffset: UInt64(start))
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
