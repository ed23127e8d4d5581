#if os(iOS) || os(macOS) || os(visionOS)
    public import AuthenticationServices
    public import Foundation

    extension Browser {
        /// The browser session of the system, `ASWebAuthenticationSession`, which shares no data with the application.
        ///
        /// This function compiles on Apple platforms only. The tests of this project do not run it.
        ///
        /// - Parameters:
        ///   - redirectURI: A redirect URI with a private-use scheme (RFC 8252 §7.1), such as `com.example.app:/oauth`. It
        ///     must be one of the client's `redirect_uris` in the configuration of the server.
        ///   - isEphemeral: Whether the session uses no cookies of the browser, so that the user signs in anew.
        ///   - anchor: Returns the window above which the session appears.
        /// - Returns: The browser.
        public static func system(
            redirectURI: String, isEphemeral: Bool = false,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) -> Browser {
            Browser(redirectURI: redirectURI) { url in
                let scheme = String(redirectURI.prefix { $0 != ":" })
                return try await WebAuthentication(anchor: anchor).redirect(
                    from: url, scheme: scheme, isEphemeral: isEphemeral)
            }
        }
    }

    /// One session of the system's browser.
    @MainActor
    private final class WebAuthentication: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
        private var session: ASWebAuthenticationSession?
        /// Waits for the end of the session, and is resumed once.
        private var waiting: CheckedContinuation<URL, any Error>?

        init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
            self.anchor = anchor
        }

        func redirect(from url: URL, scheme: String, isEphemeral: Bool) async throws -> URL {
            try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await withCheckedThrowingContinuation { continuation in
                    waiting = continuation
                    // The framework may call the handler on any thread.
                    let session = ASWebAuthenticationSession(url: url, callbackURLScheme: scheme) {
                        @Sendable url, error in
                        let result = Self.result(url, error)
                        Task { @MainActor in self.finish(result) }
                    }
                    session.presentationContextProvider = self
                    session.prefersEphemeralWebBrowserSession = isEphemeral
                    self.session = session
                    if !session.start() {
                        finish(
                            .failure(
                                TokenExchangeError(
                                    .browserFailed, code: "auth/operation-not-supported-in-this-environment",
                                    "The browser session of the system did not start.")))
                    }
                }
            } onCancel: {
                Task { @MainActor in
                    self.session?.cancel()
                    self.finish(.failure(CancellationError()))
                }
            }
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            anchor()
        }

        private func finish(_ result: Result<URL, any Error>) {
            waiting?.resume(with: result)
            waiting = nil
            session = nil
        }

        nonisolated private static func result(_ url: URL?, _ error: (any Error)?) -> Result<URL, any Error> {
            if let url { return .success(url) }
            if let error = error as? ASWebAuthenticationSessionError, error.code == .canceledLogin {
                return .failure(CancellationError())
            }
            return .failure(
                error ?? TokenExchangeError.unexpectedResponse("The browser session of the system ended without a URL.")
            )
        }
    }
#endif
