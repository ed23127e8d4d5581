internal import Curl
internal import Settings
internal import Transport

/// The HTTP client of a command that ends.
enum CommandTransport {
    /// Runs `body` with a client, and closes its connections afterwards.
    ///
    /// - Throws: Exit 1 if libcurl cannot be used, or the error of `body`.
    static func use<Value>(
        _ settings: Settings, _ body: (HTTPTransport) async throws -> Value
    ) async throws -> Value {
        let curl = try CurlTransport(settings.server)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(curl.transport))
        } catch {
            outcome = .failure(error)
        }
        // No thread may outlive libcrypto, which is torn down when the process exits.
        await curl.shutdown()
        return try outcome.get()
    }
}

extension CurlTransport {
    /// Makes the client of a server or of a command.
    ///
    /// - Parameter server: The section with the outbound proxy.
    /// - Throws: Exit 1 if libcurl cannot be used.
    convenience init(_ server: Settings.Server) throws {
        var configuration = CurlConfiguration()
        configuration.proxy = server.outboundProxy.map { [exemptions = server.proxyExemptions] proxy in
            OutboundProxy(address: proxy.address, user: proxy.user?.secretText, password: proxy.password?.secretText) {
                host in exemptions.contains { $0.covers(host) }
            }
        }
        do {
            try self.init(configuration: configuration)
        } catch {
            throw Exit.because("libcurl cannot be used: \(error)", Exit.failure)
        }
    }
}
