public import Foundation

/// The way in which an application shows web pages to the user and receives the redirect (RFC 8252).
public struct Browser: Sendable {
    /// Runs a flow and returns its redirect.
    let run: @Sendable (BrowserFlow) async throws -> Redirect

    init(_ run: @escaping @Sendable (BrowserFlow) async throws -> Redirect) {
        self.run = run
    }

    /// A browser that the application opens in its own way.
    ///
    /// A web view that the application can read is not suitable (RFC 8252 §8.12).
    ///
    /// - Parameters:
    ///   - redirectURI: One of the client's `redirect_uris` in the configuration of the server.
    ///   - visit: Opens the URL and returns the URL to which the user was redirected.
    public init(redirectURI: String, visit: @escaping @Sendable (URL) async throws -> URL) {
        self.init { flow in
            Redirect(uri: redirectURI, url: try await visit(try await flow.start(redirectURI)))
        }
    }

    /// The browser of clients that name none.
    static var standard: Browser? {
        #if os(macOS) || os(Linux)
            loopback()
        #else
            nil
        #endif
    }
}

/// One flow, as a browser sees it.
struct BrowserFlow: Sendable {
    /// The value by which the redirect is recognized.
    let state: String
    let timing: Timing
    /// Returns the URL to open for a redirect URI.
    let start: @Sendable (_ redirectURI: String) async throws -> URL
}

/// The end of a flow in the browser.
struct Redirect: Sendable {
    /// The redirect URI that the flow was started with.
    let uri: String
    /// The URL to which the user was redirected.
    let url: URL
}
