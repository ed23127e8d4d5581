internal import JOSE
internal import Jansson
package import Providers
package import Standards
internal import Transport

/// The revocation endpoint of a provider, and this server's client at that provider (RFC 7009 §2.1).
package struct Revocation: Sendable {
    fileprivate let endpoint: String
    fileprivate let client: ProviderClient
    fileprivate let provider: Provider
}

extension Exchanger {
    /// Finds the revocation endpoint of a provider.
    ///
    /// - Returns: The endpoint; `nil` if the provider has none.
    /// - Throws: `DocumentError` if its discovery document cannot be fetched.
    package func revocation(at provider: Provider) async throws -> Revocation? {
        if let openIDConnect = provider.openIDConnect {
            let endpoints = try await openIDConnect.endpoints()
            return Revocation(
                endpoints.revocation, client: openIDConnect.client(at: endpoints), of: provider)
        }
        guard let oauth2 = provider.oauth2 else { return nil }
        return Revocation(oauth2.revocationEndpoint, client: oauth2.client, of: provider)
    }

    /// Revokes a token at the provider that issued it.
    ///
    /// - Parameter token: The token. Providers accept one that they do not know (RFC 7009 §2.2).
    /// - Throws: `Refusal` if the provider does not confirm.
    package func revoke(_ token: Secret, by revocation: Revocation) async throws {
        let request = try revocation.client.post(
            to: revocation.endpoint, form: [("token", token.secretText)], timeout: revocation.provider.timeout,
            time: time, random: random)
        try await withoutCredential {
            let response = try await transport.send(request.addressed(to: revocation.provider, .token))
            // RFC 7009 §2.2 demands 200, and some providers have no content to send.
            guard [200, 204].contains(response.status) else {
                throw revocation.failure(response, to: request)
            }
        }
    }

    /// Revokes tokens that must not be used, if their provider can.
    ///
    /// A failure is ignored: the tokens are dropped in any case, and the caller learns the reason. ``LastCall/current`` stays
    /// that of the caller, because the log names with the reason the call that led to it.
    package func discard(_ tokens: [Secret], at provider: Provider) async {
        await LastCall.$current.withValue(LastCall()) {
            guard let revocation = try? await self.revocation(at: provider) else { return }
            for token in tokens { try? await revoke(token, by: revocation) }
        }
    }
}

extension Revocation {
    fileprivate init?(_ endpoint: String?, client: ProviderClient, of provider: Provider) {
        guard let endpoint else { return nil }
        self.init(endpoint: endpoint, client: client, provider: provider)
    }

    /// The failure of a revocation (RFC 7009 §2.2.1), of which only `invalid_client` is about the credentials.
    fileprivate func failure(_ response: OutboundResponse, to request: OutboundRequest) -> ProviderFailure {
        let answer = try? JSON.parse(tolerantly: response.body)
        guard answer?["error"]?.string == "invalid_client" else {
            return ProviderFailure(of: .revocation, response, to: request)
        }
        return .refusedClient(client.refusal)
    }
}
