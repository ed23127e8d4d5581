package import JOSE
package import Providers
package import Standards
package import Stores
package import Transport

/// Redeems authorization codes and OAuth 1.0a verifiers with this server's own client credentials.
///
/// Every grant is recorded as spent before it is sent to the provider, so that only one of many parallel copies is
/// sent. It is given back if the provider cannot have received it.
package struct Exchanger: Sendable {
    let transport: HTTPTransport
    private let singleUse: SingleUse
    let time: TimeSource
    let random: RandomSource

    package init(transport: HTTPTransport, singleUse: SingleUse, time: TimeSource, random: RandomSource) {
        self.transport = transport
        self.singleUse = singleUse
        self.time = time
        self.random = random
    }

    /// Redeems a code at an OpenID provider (OpenID Connect Core §3.1.3).
    ///
    /// - Parameter openIDConnect: The provider's endpoints and this server's client at that provider.
    /// - Returns: The tokens, with an ID token that is not verified yet.
    /// - Throws: `Refusal`, `ProviderFailure` or `DocumentError`.
    package func exchange(
        _ grant: consuming AuthorizationGrant, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> ProviderTokens {
        let endpoints = try await openIDConnect.endpoints()
        // Without keys the ID token could not be verified, and the code would be lost.
        _ = try await openIDConnect.keys.value()
        let response = try await redeem(
            grant, as: openIDConnect.client(at: endpoints), errorCodes: openIDConnect.errorCodes, of: provider)
        guard response.idToken != nil else { throw response.withoutProof }
        return tokens(response, of: provider)
    }

    /// Redeems a code at an OAuth 2.0 provider (RFC 6749 §4.1.3).
    ///
    /// - Parameter oauth2: The provider's endpoints and this server's client at that provider.
    /// - Throws: `Refusal`, `ProviderFailure` or `DocumentError`.
    package func exchange(
        _ grant: consuming AuthorizationGrant, with oauth2: OAuth2, of provider: Provider
    ) async throws -> ProviderTokens {
        let response = try await redeem(grant, as: oauth2.client, errorCodes: oauth2.errorCodes, of: provider)
        guard response.accessToken != nil else { throw response.withoutProof }
        if let scope = response.scope {
            // RFC 6749 §3.3: the provider may grant less than was requested. Then the response contains `scope`.
            let granted = Set(scope.split(separator: " ").map(String.init))
            let missing = oauth2.requiredScopes.filter { !granted.contains($0) }
            guard missing.isEmpty else { throw ProviderFailure.missingScopes(missing, granted: granted) }
        }
        return tokens(response, of: provider)
    }

    /// Exchanges a verifier for token credentials (RFC 5849 §2.3).
    ///
    /// The request is signed with the client's secret and the secret of the request token.
    ///
    /// - Parameters:
    ///   - verifier: The verifier that the provider sent with the callback.
    ///   - temporary: The request token, which this server obtained.
    ///   - oauth1: The provider's endpoints and this server's client at that provider.
    /// - Throws: `Refusal`, `ProviderFailure` or `DocumentError`.
    package func exchange(
        verifier: Secret, for temporary: TemporaryCredentials, with oauth1: OAuth1, of provider: Provider
    ) async throws -> ProviderTokens {
        let record = record(of: temporary.identifier, clientID: oauth1.client.identifier, provider: provider)
        let signer = RequestSigner(client: oauth1.client, random: random, time: time)
        let request = try signer.request(
            .post, oauth1.tokenEndpoint, token: (temporary.identifier, temporary.sharedSecret),
            // RFC 5849 §3.5: all protocol parameters are sent in one place.
            protocolParameters: [("oauth_verifier", verifier.secretText)], timeout: provider.timeout)
        return try await spending(record) {
            let response = try await send(request, of: provider)
            guard response.status == 200 else {
                let failure = ProviderFailure(ofSigned: response, codes: oauth1.errorCodes)
                let isOfCode = if case .failed(status: 400..<500) = failure { !failure.isPassing } else { false }
                let refusal = isOfCode ? Refusal.codeRejected : failure.refusal
                throw refusal.quoting(ProviderWords.of(response, to: request))
            }
            let form = try OAuth1Form.parse(response)
            let (identifier, secret) = try OAuth1Form.credentials(form)
            let userID = form["user_id"]
            guard userID.map(ProfileMapping.isDecimal) ?? true else {
                throw ProviderFailure.malformedResponse("user_id")
            }
            return ProviderTokens(
                provider: provider.id, idToken: nil, accessToken: nil, refreshToken: nil, expiresIn: nil, scope: nil,
                tokenCredentials: TokenCredentials(identifier: identifier, sharedSecret: secret),
                userID: userID.flatMap { Subject($0) }, screenName: form["screen_name"],
                deviation: nil)
        }
    }

    /// Requests temporary credentials, with which the person then authorizes this server (RFC 5849 §2.1).
    ///
    /// - Parameters:
    ///   - callback: The URI to which the provider sends the browser back.
    ///   - oauth1: The provider's endpoints and this server's client at that provider.
    /// - Returns: The request token.
    /// - Throws: `Refusal`, `ProviderFailure` or `DocumentError`.
    package func temporaryCredentials(
        callback: String, with oauth1: OAuth1, of provider: Provider
    ) async throws -> TemporaryCredentials {
        let signer = RequestSigner(client: oauth1.client, random: random, time: time)
        let parameters = oauth1.temporaryCredentialsParameters.sorted { $0.key < $1.key }
        let request = try signer.request(
            .post, oauth1.temporaryCredentialsEndpoint, protocolParameters: [("oauth_callback", callback)],
            form: Parameters(parameters.map { ($0.key, $0.value) }), timeout: provider.timeout)
        return try await withoutCredential {
            let response = try await send(request, of: provider)
            do throws(ProviderFailure) {
                return try TemporaryCredentialsResponse.parse(response, codes: oauth1.errorCodes)
            } catch {
                throw Refusal(error).quoting(ProviderWords.of(response, to: request))
            }
        }
    }
}

extension Exchanger {
    private func redeem(
        _ grant: consuming AuthorizationGrant, as client: ProviderClient, errorCodes: ErrorCodes, of provider: Provider
    ) async throws -> TokenResponse {
        let record = record(of: grant.code, clientID: client.id, provider: provider)
        let request = try client.post(
            form: TokenRequest.form(grant), timeout: provider.timeout, time: time, random: random)
        return try await spending(record) {
            try TokenResponse.parse(
                try await send(request, of: provider), to: request, by: client, codes: errorCodes,
                isOpenID: provider.openIDConnect != nil)
        }
    }

    /// Runs a call that contains no credential of the caller, so that every failure leaves it unspent.
    func withoutCredential<Value>(_ call: () async throws -> Value) async throws(Refusal) -> Value {
        do {
            return try await call()
        } catch {
            throw Refusal(error).unspent
        }
    }

    /// Spends the record of a grant, and gives it back if the provider cannot have taken the grant.
    private func spending<Value>(_ record: SpentRecord, _ steps: () async throws -> Value) async throws -> Value {
        try await singleUse.spend([record])
        return try await singleUse.spent([record]).keepSpent(steps)
    }

    /// Sends a request to the token endpoint of a provider.
    func send(_ request: OutboundRequest, of provider: Provider) async throws(ProviderFailure) -> OutboundResponse {
        do {
            return try await transport.send(request.addressed(to: provider, .token))
        } catch {
            throw .noAnswer(error)
        }
    }

    private func record(of code: Secret, clientID: String, provider: Provider) -> SpentRecord {
        SpentRecord(
            .authorizationCode,
            of: [provider.id.text, clientID, code.secretText].map { Array($0.utf8) },
            issuedAt: nil, expiresAt: time.now() + SingleUse.replayRetention)
    }

    func tokens(_ response: TokenResponse, of provider: Provider) -> ProviderTokens {
        ProviderTokens(
            provider: provider.id, idToken: response.idToken, accessToken: response.accessToken,
            refreshToken: response.refreshToken, expiresIn: response.expiresIn, scope: response.scope,
            tokenCredentials: nil, userID: nil, screenName: nil, deviation: response.deviation)
    }
}
