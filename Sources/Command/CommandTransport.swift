internal import Curl
internal import Settings
internal import Transport

/// The HTTP client of a command that ends.
enum CommandTransport {
    /// Runs `body` with a client, and closes its connections afterwards.
    ///
    /// - Parameter body: The work of the command.
    /// - Returns: The value of `body`.
    /// - Throws: Exit 1 if libcurl cannot be used, or the error of `body`.
    static func use<Value>(_ body: (HTTPTransport) async throws -> Value) async throws -> Value {
        let curl: CurlTransport
        do {
            curl = try CurlTransport(configuration: CurlConfiguration())
        } catch {
            throw Exit.because("libcurl cannot be used: \(error)", Exit.failure)
        }
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
