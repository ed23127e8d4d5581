internal import JOSE
internal import Jansson
package import OAuth
package import Providers
package import Stores
internal import Transport

extension Verifier {
    /// Who a bare access token speaks for, where the provider says for which client it was issued (RFC 7662).
    ///
    /// - `nonce`: spent before the provider is asked, so that the request cannot be replayed.
    /// - Throws: ``VerificationError/audienceUnverifiable`` where the provider offers no introspection;
    /// ``VerificationError/audienceMismatch`` where the answer does not name one of our client ids.
    package func verify(
        _ accessToken: AccessToken, nonce: SpentRecord, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws(VerificationError) -> VerifiedIdentity {
        let endpoints: OpenIDConnectEndpoints
        do {
            endpoints = try await openIDConnect.endpoints()
        } catch {
            throw .provider(.document(error), givenBack: true)
        }
        guard let url = endpoints.introspection else { throw .audienceUnverifiable }
        try await spend([nonce])
        let answer: JSON
        do {
            answer = try await introspect(accessToken, at: url, with: openIDConnect, of: provider)
        } catch {
            throw .provider(error, givenBack: await giveBack([nonce], after: error))
        }
        // RFC 7662 §2.2: only `active` is certain to be there, and true is not yet an authorization.
        guard answer["active"]?.bool == true else { throw .tokenRejected }
        guard
            let clientID = answer["client_id"]?.string,
            ([openIDConnect.clientID] + openIDConnect.furtherClientIDs).contains(clientID)
        else { throw .audienceMismatch }
        if let issuer = answer["iss"] {
            guard issuer.string.map(endpoints.issuers.contains) == true else { throw .audienceMismatch }
        }
        if let expiry = answer["exp"] {
            guard let seconds = expiry.integer, time.now() < NumericDate(seconds)
            else { throw .tokenRejected }
        }
        guard let subject = ProfileMapping.openIDConnect.subject(in: answer)
        else { throw .provider(.malformedResponse("sub"), givenBack: false) }
        return VerifiedIdentity(
            provider: provider.id, subject: subject, profile: Profile(),
            profileState: .unfetched(
                ProfileCall(provider: provider, source: .userInfo(accessToken, openIDConnect))), profileRefusal: nil,
            audienceProof: .introspection, authenticatedAt: nil,
            tokens: ReturnedTokens(
                accessToken: accessToken.secret, idToken: nil, refreshToken: nil, oauthTokenSecret: nil,
                expiresIn: nil, scope: answer["scope"]?.string),
            returnable: [nonce])
    }

    /// RFC 7662 §2.1; the endpoint authenticates us, so that 401 is about our own credentials.
    private func introspect(
        _ accessToken: AccessToken, at url: String, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws(ProviderFailure) -> JSON {
        let request = OutboundRequest.post(
            url, form: [("token", accessToken.secret.secretText), ("token_type_hint", "access_token")],
            clientID: openIDConnect.clientID, authentication: openIDConnect.clientAuthentication,
            timeout: provider.timeout
        ).queued(in: provider.queue(.token))
        let response: OutboundResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw .noAnswer(error)
        }
        guard response.status != 401 else { throw .refusedClient(.credentials) }
        guard response.status == 200 else { throw ProviderFailure(response) }
        return try response.jsonObject()
    }
}
