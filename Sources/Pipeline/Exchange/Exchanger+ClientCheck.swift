internal import JOSE
package import Providers
internal import Standards
internal import Transport

extension Exchanger {
    /// Asks a token endpoint whether it accepts this server's client credentials, without a person.
    ///
    /// The request redeems a code that no provider has issued. A provider authenticates the client before it looks at the
    /// code (RFC 6749 §4.1.3), so that the refusal of the code shows that the client was accepted. Nothing is spent.
    ///
    /// - Parameters:
    ///   - redirectURI: A redirect URI of this server.
    ///   - pkce: The setting of the provider: some refuse the client if it sends a code verifier.
    /// - Throws: The refusal of a `ProviderFailure` if the client was refused, or if nothing can be concluded from the response;
    ///   another one if the request cannot be signed.
    package func checkClient(
        _ client: ProviderClient, redirectURI: String, pkce: ProofKeyMethod, errorCodes: ErrorCodes,
        of provider: Provider
    ) async throws {
        let form =
            [
                ("grant_type", "authorization_code"), ("code", "te-doctor"), ("redirect_uri", redirectURI),
            ] + (pkce == .off ? [] : [("code_verifier", String(repeating: "doctor", count: 8))])
        let request = try client.post(form: form, timeout: provider.timeout, time: time, random: random)
        let response = try await send(request, of: provider)
        do throws(Refusal) {
            _ = try TokenResponse.parse(response, to: request, by: client, codes: errorCodes, isOpenID: true)
        } catch {
            guard error.cause is ProviderFailure else {
                // The endpoint refuses only the code.
                return
            }
            throw error
        }
        throw ProviderFailure.malformedResponse("an error for a code that was never issued")
    }
}
