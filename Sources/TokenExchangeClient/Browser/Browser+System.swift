#if canImport(AuthenticationServices)
    internal import Foundation

    // The watch and the television have no window above which a session could appear.
    #if os(tvOS) || os(watchOS)
        internal import AuthenticationServices
    #elseif canImport(UIKit)
        public import AuthenticationServices
        public import UIKit
    #else
        public import AppKit
        public import AuthenticationServices
    #endif

    extension Browser {
        #if os(tvOS) || os(watchOS)
            /// The browser session of the system, `ASWebAuthenticationSession`, which shares no data with the application.
            ///
            /// The user continues on an iPhone or iPad nearby, or on the watch. This project only type-checks this function.
            ///
            /// - Parameters:
            ///   - redirectURI: A redirect URI with a private-use scheme (RFC 8252 §7.1), such as `com.example.app:/oauth`, or a
            ///     `https` URL (RFC 8252 §7.2) whose host is an associated domain of the application with the service
            ///     `webcredentials`, from tvOS 17.4 and watchOS 10.4. It must be one of the client's `redirect_uris` in the
            ///     configuration of the server.
            ///   - isEphemeral: Whether the session uses no cookies of the browser, so that the user signs in anew.
            @available(tvOS 16, *)
            public static func system(redirectURI: String, isEphemeral: Bool = false) -> Browser {
                Browser(redirectURI: redirectURI) { url in
                    try await WebAuthentication().redirect(from: url, to: redirectURI, isEphemeral: isEphemeral)
                }
            }
        #else
            /// The browser session of the system, `ASWebAuthenticationSession`, which shares no data with the application.
            ///
            /// This project only type-checks this function, against declarations that it wrote itself.
            ///
            /// - Parameters:
            ///   - redirectURI: A redirect URI with a private-use scheme (RFC 8252 §7.1), such as `com.example.app:/oauth`, or a
            ///     `https` URL (RFC 8252 §7.2) whose host is an associated domain of the application with the service
            ///     `webcredentials`, from iOS 17.4, macOS 14.4 and visionOS 1.1. It must be one of the client's
            ///     `redirect_uris` in the configuration of the server.
            ///   - isEphemeral: Whether the session uses no cookies of the browser, so that the user signs in anew.
            ///   - anchor: Returns the window above which the session appears.
            public static func system(
                redirectURI: String, isEphemeral: Bool = false,
                anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
            ) -> Browser {
                Browser(redirectURI: redirectURI) { url in
                    guard let anchor = await anchor() else {
                        throw TokenExchangeError.noSession("The application shows no window.")
                    }
                    return try await WebAuthentication(anchor: anchor).redirect(
                        from: url, to: redirectURI, isEphemeral: isEphemeral)
                }
            }

            /// The browser session of the system above the window that the user looks at.
            ///
            /// An application with several windows, or an extension, names its window by
            /// ``system(redirectURI:isEphemeral:anchor:)``.
            ///
            /// - Parameters:
            ///   - redirectURI: As for ``system(redirectURI:isEphemeral:anchor:)``.
            ///   - isEphemeral: Whether the session uses no cookies of the browser, so that the user signs in anew.
            @available(iOSApplicationExtension, unavailable, message: "An extension passes an anchor.")
            @available(visionOSApplicationExtension, unavailable, message: "An extension passes an anchor.")
            public static func system(redirectURI: String, isEphemeral: Bool = false) -> Browser {
                system(redirectURI: redirectURI, isEphemeral: isEphemeral) {
                    #if canImport(UIKit)
                        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                        let scene = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
                        return scene?.keyWindow ?? scene?.windows.first
                    #else
                        let application = NSApplication.shared
                        return application.keyWindow ?? application.mainWindow ?? application.windows.first
                    #endif
                }
            }
        #endif
    }

    /// One session of the system's browser.
    @available(tvOS 16, *)
    @MainActor
    private final class WebAuthentication: NSObject {
        private var session: ASWebAuthenticationSession?
        /// Waits for the end of the session, and is resumed once.
        private var waiting: CheckedContinuation<URL, any Error>?

        #if os(tvOS) || os(watchOS)
            private func prepare(_ session: ASWebAuthenticationSession) {}
        #else
            private let anchor: ASPresentationAnchor

            init(anchor: ASPresentationAnchor) {
                self.anchor = anchor
            }

            private func prepare(_ session: ASWebAuthenticationSession) {
                session.presentationContextProvider = self
            }
        #endif

        func redirect(from url: URL, to redirectURI: String, isEphemeral: Bool) async throws -> URL {
            let redirect = try SessionRedirect(redirectURI)
            return try await withTaskCancellationHandler {
                try Task.checkCancellation()
                // The framework may call the handler on any thread.
                let session = try redirect.session(url) { @Sendable url, error in
                    let result = Self.result(url, error)
                    Task { @MainActor in self.finish(result) }
                }
                session.prefersEphemeralWebBrowserSession = isEphemeral
                prepare(session)
                return try await withCheckedThrowingContinuation { continuation in
                    waiting = continuation
                    self.session = session
                    if !session.start() {
                        finish(
                            .failure(TokenExchangeError.noSession("The browser session of the system did not start.")))
                    }
                }
            } onCancel: {
                Task { @MainActor in
                    self.session?.cancel()
                    self.finish(.failure(CancellationError()))
                }
            }
        }

        private func finish(_ result: Result<URL, any Error>) {
            waiting?.resume(with: result)
            waiting = nil
            session = nil
        }

        nonisolated private static func result(_ url: URL?, _ error: (any Error)?) -> Result<URL, any Error> {
            if let url { return .success(url) }
            return .failure(
                error ?? TokenExchangeError.noSession("The browser session of the system ended without a URL."))
        }
    }

    #if !os(tvOS) && !os(watchOS)
        extension WebAuthentication: ASWebAuthenticationPresentationContextProviding {
            // The protocol belongs to the main actor only in newer versions of the SDK. The framework always calls it there.
            nonisolated func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
                MainActor.assumeIsolated { anchor }
            }
        }
    #endif

    extension SessionRedirect {
        /// Makes a session, which it does not start.
        @available(tvOS 16, *)
        @MainActor
        fileprivate func session(
            _ url: URL, completion: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) throws(TokenExchangeError) -> ASWebAuthenticationSession {
            if #available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *) {
                ASWebAuthenticationSession(url: url, callback: callback, completionHandler: completion)
            } else {
                ASWebAuthenticationSession(
                    url: url, callbackURLScheme: try privateUseScheme, completionHandler: completion)
            }
        }

        @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
        private var callback: ASWebAuthenticationSession.Callback {
            switch self {
            case .scheme(let scheme): .customScheme(scheme)
            case .https(let host, let path): .https(host: host, path: path)
            }
        }
    }

    extension TokenExchangeError {
        fileprivate static func noSession(_ message: String) -> Self {
            Self(.browserFailed, code: "auth/operation-not-supported-in-this-environment", message)
        }

        /// Whether the user closed a session of the system, also one that the application started.
        static func isClosedSession(_ error: any Error) -> Bool {
            guard #available(tvOS 16, *), let error = error as? ASWebAuthenticationSessionError else { return false }
            return error.code == .canceledLogin && isClosedByUser(error.errorUserInfo)
        }
    }
#endif
