public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A client of a token-exchange server, which signs users in with Yahoo, X and other providers and returns a custom
/// token for Firebase.
///
/// ```swift
/// let client = TokenExchangeClient(server: URL(string: "https://auth.example.com")!, clientID: "my-app")
/// let result = try await client.signIn(with: .yahoo)
/// try await Auth.auth().signIn(withCustomToken: result.tokens.customToken)
/// ```
///
/// Every method throws ``TokenExchangeError``. If the task is cancelled, the request is cancelled, and the reason of the
/// error is ``TokenExchangeError/Reason/cancelled``. A request is sent again only if the server says that its credential
/// was not used (`retry: same`): at most twice, after the time in `Retry-After`. Except the polls of a device sign-in, it is
/// never sent again after a lost connection, because the server may have used the credential.
public struct TokenExchangeClient: Sendable {
    /// A function that sends a request and returns the response, without following redirects.
    public typealias HTTPClient = @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

    /// A function that returns a token: the Firebase ID token of the user, or an App Check token.
    public typealias TokenSource = @Sendable () async throws -> String

    let clientID: String
    let browser: Browser?
    let api: ServerAPI

    /// Makes a client, which sends nothing before its first call.
    ///
    /// - Parameters:
    ///   - server: The server's `public_url`. It must be `https`, or a loopback address during development.
    ///   - clientID: The id of the application in the configuration of the server.
    ///   - browser: Shows web pages to the user. `nil` means ``Browser/loopback(path:page:timeout:open:)`` on macOS and
    ///     Linux, and no browser on other platforms.
    ///   - idToken: Returns the Firebase ID token of the user, such as `user.getIDToken()`. Calls about the account of
    ///     the user need it.
    ///   - appCheckToken: Returns an App Check token for the server; `nil` if the application does not use App Check.
    public init(
        server: URL, clientID: String, browser: Browser? = nil, idToken: TokenSource? = nil,
        appCheckToken: TokenSource? = nil, http: @escaping HTTPClient = urlSession
    ) {
        self.init(
            server: server, clientID: clientID, browser: browser ?? .standard, idToken: idToken,
            appCheckToken: appCheckToken, http: http, timing: .system)
    }

    init(
        server: URL, clientID: String, browser: Browser?, idToken: TokenSource?, appCheckToken: TokenSource?,
        http: @escaping HTTPClient, timing: Timing
    ) {
        self.clientID = clientID
        self.browser = browser
        api = ServerAPI(
            server: server, http: http, idToken: idToken, appCheckToken: appCheckToken, timing: timing)
    }

    /// Sends requests by a `URLSession` without cookies and cache.
    public static let urlSession: HTTPClient = { [session = URLSessionClient()] in try await session.send($0) }
}

/// The pauses of a client, which tests replace.
struct Timing: Sendable {
    /// Returns after that many seconds.
    var pause: @Sendable (TimeInterval) async throws -> Void
    /// A factor between 0.5 and 1 for pauses, so that clients that failed together do not return together.
    var jitter: @Sendable () -> Double

    static let system = Timing(
        // A day at most: a number that is negative, infinite or none cannot be converted.
        pause: { try await Task.sleep(nanoseconds: $0 > 0 ? UInt64(min($0, 86_400) * 1_000_000_000) : 0) },
        jitter: { Double.random(in: 0.5...1) })
}
