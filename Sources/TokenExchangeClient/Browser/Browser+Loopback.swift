#if os(macOS) || os(Linux)
    public import Foundation

    extension Browser {
        /// The browser of a desktop, which is redirected to a listener of this program on 127.0.0.1 (RFC 8252 §7.3).
        ///
        /// The listener has a free port. It accepts one redirect, that of its own flow, and then ends. The client's
        /// `redirect_uris` in the configuration of the server must contain `http://127.0.0.1` with the path, without a port.
        ///
        /// The program that opens the browser has the URL as its argument. While it starts, other users of the same machine
        /// can read the URL in the list of processes, and sign the application in as themselves. On a shared machine, pass
        /// another `open`, or use ``TokenExchangeClient/deviceSignIn(with:scopes:)``.
        ///
        /// - Parameters:
        ///   - path: The path of the redirect URI.
        ///   - page: The text that the browser shows at the end, as plain text.
        ///   - timeout: The number of seconds that the user has.
        ///   - open: Shows the URL to the user.
        public static func loopback(
            path: String = "/callback", page: String = "You can close this window and return to the application.",
            timeout: TimeInterval = 600,
            open: @escaping @Sendable (URL) async throws -> Void = { try await openInDefaultBrowser($0) }
        ) -> Browser {
            Browser { flow in
                let server = RedirectServer(
                    listener: try LoopbackListener(), path: path, state: flow.state, page: page, timing: flow.timing)
                let url = try await flow.start(server.redirectURI)
                return Redirect(
                    uri: server.redirectURI, url: try await server.redirect(within: timeout) { try await open(url) })
            }
        }

        /// Opens a URL with `xdg-open` on Linux and `open` on macOS.
        ///
        /// - Throws: ``TokenExchangeError`` if the program is missing or fails, such as on a computer without a desktop.
        public static func openInDefaultBrowser(_ url: URL) async throws(TokenExchangeError) {
            let program = Process()
            program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            #if os(macOS)
                program.arguments = ["open", url.absoluteString]
            #else
                program.arguments = ["xdg-open", url.absoluteString]
            #endif
            program.standardOutput = FileHandle.nullDevice
            program.standardError = FileHandle.nullDevice
            let (ends, whenEnded) = AsyncStream.makeStream(of: Int32.self)
            program.terminationHandler = {
                whenEnded.yield($0.terminationStatus)
                whenEnded.finish()
            }
            do {
                try program.run()
            } catch {
                throw TokenExchangeError(browser: error)
            }
            // Without a desktop environment the program runs as long as the browser does.
            guard let status = await ends.first(where: { _ in true }) else { throw .cancelled }
            guard status == 0 else {
                throw TokenExchangeError(
                    .browserFailed, code: "auth/operation-not-supported-in-this-environment",
                    "No browser could be opened. Show the URL to the user, or use deviceSignIn(with:scopes:).")
            }
        }
    }
#endif
