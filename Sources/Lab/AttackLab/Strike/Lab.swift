internal import Foundation

/// The place where attacks are tried: a server, and what the attacker has beside it.
package struct Lab: Sendable {
    package let server: Wire
    package let admin: Wire?
    /// What is at hand here and what the server offers.
    package let offers: Set<Need>
    let application: Application
    let standIns: StandIns?
    let testBed: TestBed?
    /// The log of the server under attack.
    let log: LogFile?
    let pace: Pace?
    let supplies: Supplies?
    /// Whether every attack looks for its secrets in the log; otherwise only those do that are about the log.
    var watchesLog = true
    /// The attacker's loot; nil where the key is not known.
    var sealKey: StolenSealKey?

    /// Seconds since 1970.
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// What the attack needs, or the reason that it is inconclusive.
    func needed<Part>(_ part: Part?, _ name: String) throws -> Part {
        guard let part else { throw Inconclusive("There are no \(name) here.") }
        return part
    }
}

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

/// A log that grows.
struct LogFile: Sendable {
    let path: String

    /// How long it is now.
    var end: Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// What was written since it had that length.
    func text(since start: Int) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? file.close() }
        try? file.seek(toOffset: UInt64(start))
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
