internal import Documents
package import JOSE
package import OAuth
package import Providers
package import Stores
package import Transport

/// Redeems what a person's browser brought back, under our own client credentials.
///
/// Every grant is spent before the provider hears of it, so that of a hundred parallel copies one is tried. It is given
/// back where the provider cannot have taken it.
package struct Exchanger: Sendable {
    let transport: HTTPTransport
    private let spent: any SpentCredentials
    private let time: TimeSource
    private let random: RandomSource

    package init(transport: HTTPTransport, spent: any SpentCredentials, time: TimeSource, random: RandomSource) {
        self.transport = transport
        self.spent = spent
        self.time = time
        self.random = random
    }

    /// OpenID Connect Core §3.1.3: the answer holds an ID token, which nobody has verified yet.
    package func exchange(
        _ grant: consuming AuthorizationGrant, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws(ExchangeError) -> ProviderTokens {
        let endpoints: OpenIDConnectEndpoints
        do {
            endpoints = try await openIDConnect.endpoints()
            // Without keys the ID token cannot be verified: the code would be redeemed in vain.
            _ = try await openIDConnect.keys.value()
        } catch {
            throw .provider(.document(error), givenBack: true)
        }
        let response = try await redeem(
            grant, endpoint: endpoints.token, clientID: openIDConnect.clientID,
            authentication: openIDConnect.clientAuthentication, errorCodes: .none, of: provider)
        guard response.idToken != nil else { throw .provider(.malformedResponse("id_token"), givenBack: false) }
        return tokens(response, of: provider)
    }

    /// RFC 6749 §4.1.3.
    package func exchange(
        _ grant: consuming AuthorizationGrant, with oauth2: OAuth2, of provider: Provider
    ) async throws(ExchangeError) -> ProviderTokens {
        let response = try await redeem(
            grant, endpoint: oauth2.tokenEndpoint, clientID: oauth2.clientID,
            authentication: oauth2.clientAuthentication, errorCodes: oauth2.errorCodes, of: provider)
        if let scope = response.scope {
            // RFC 6749 §3.3: the server may grant less than was asked for, and says so here.
            let granted = Set(scope.split(separator: " ").map(String.init))
            guard granted.isSuperset(of: oauth2.requiredScopes)
            else { throw .provider(.malformedResponse("scope"), givenBack: false) }
        }
        return tokens(response, of: provider)
    }

    /// RFC 5849 §2.3: signed with our secret and that of the request token, which we obtained ourselves.
    package func exchange(
        verifier: Secret, for temporary: TemporaryCredentials, with oauth1: OAuth1, of provider: Provider
    ) async throws(ExchangeError) -> ProviderTokens {
        let record = record(of: temporary.identifier, clientID: oauth1.client.identifier, provider: provider)
        let signer = RequestSigner(client: oauth1.client, random: random, time: time)
        let request = try signed {
            () throws(RandomFailure) in
            try signer.request(
                .post, oauth1.tokenEndpoint, token: (temporary.identifier, temporary.sharedSecret),
                // RFC 5849 §3.5: all protocol parameters travel in one place.
                protocolParameters: [("oauth_verifier", verifier.secretText)], timeout: provider.timeout)
        }
        let response = try await send(request.queued(in: provider.queue(.token)), spending: record)
        guard response.status == 200 else {
            let failure = ProviderFailure(response, codes: oauth1.errorCodes)
            guard case .failed(status: 400..<500) = failure, !failure.isPassing
            else { throw .provider(failure, givenBack: await giveBack(record, after: failure)) }
            throw .codeRejected
        }
        do throws(ProviderFailure) {
            let form = try OAuth1Form.parse(response)
            let (identifier, secret) = try OAuth1Form.credentials(form)
            let userID = form["user_id"]
            guard userID.map(ProfileMapping.isDecimal) ?? true else {
                throw ProviderFailure.malformedResponse("user_id")
            }
            return ProviderTokens(
                provider: provider.id, idToken: nil, accessToken: nil, refreshToken: nil, expiresIn: nil, scope: nil,
                tokenCredentials: TokenCredentials(identifier: identifier, sharedSecret: secret),
                userID: userID, screenName: form["screen_name"])
        } catch {
            throw .provider(error, givenBack: false)
        }
    }

    /// RFC 5849 §2.1: asks for the credentials that stand for an authorization still to be given.
    package func temporaryCredentials(
        callback: String, with oauth1: OAuth1, of provider: Provider
    ) async throws(ExchangeError) -> TemporaryCredentials {
        let signer = RequestSigner(client: oauth1.client, random: random, time: time)
        let parameters = oauth1.temporaryCredentialsParameters.sorted { $0.key < $1.key }
        let request = try signed {
            () throws(RandomFailure) in
            try signer.request(
                .post, oauth1.temporaryCredentialsEndpoint, protocolParameters: [("oauth_callback", callback)],
                form: Parameters(parameters.map { ($0.key, $0.value) }), timeout: provider.timeout)
        }
        let response: OutboundResponse
        do {
            response = try await transport.send(request.queued(in: provider.queue(.token)))
        } catch {
            throw .provider(.noAnswer(error), givenBack: true)
        }
        do {
            return try TemporaryCredentialsResponse.parse(response, codes: oauth1.errorCodes)
        } catch {
            throw .provider(error, givenBack: true)
        }
    }
}

extension Exchanger {
    private func redeem(
        _ grant: consuming AuthorizationGrant, endpoint: String, clientID: String,
        authentication: ClientAuthentication, errorCodes: ErrorCodes, of provider: Provider
    ) async throws(ExchangeError) -> TokenResponse {
        let record = record(of: grant.code, clientID: clientID, provider: provider)
        let request = TokenRequest.make(
            grant, endpoint: endpoint, clientID: clientID, authentication: authentication, timeout: provider.timeout)
        let response = try await send(request.queued(in: provider.queue(.token)), spending: record)
        do {
            return try TokenResponse.parse(response, codes: errorCodes)
        } catch .provider(let failure, givenBack: true) {
            throw .provider(failure, givenBack: await giveBack(record, after: failure))
        }
    }

    private func send(
        _ request: OutboundRequest, spending record: SpentRecord
    ) async throws(ExchangeError) -> OutboundResponse {
        let outcome: SpendOutcome
        do {
            outcome = try await spent.spend([record], at: time.now())
        } catch {
            throw .store(error, givenBack: error.nothingWasWritten)
        }
        guard case .first = outcome else { throw .replayed }
        do {
            return try await transport.send(request)
        } catch {
            let failure = ProviderFailure.noAnswer(error)
            throw .provider(failure, givenBack: await giveBack(record, after: failure))
        }
    }

    /// Whether the record is free again.
    ///
    /// A store that fails here leaves it spent, which is the safe side.
    private func giveBack(_ record: SpentRecord, after failure: ProviderFailure) async -> Bool {
        guard failure.leavesCredentialUnspent else { return false }
        do {
            try await spent.giveBack([record])
            return true
        } catch {
            return false
        }
    }

    /// A code is remembered for an hour, which is longer than any provider lets it live.
    private func record(of code: Secret, clientID: String, provider: Provider) -> SpentRecord {
        SpentRecord(
            .authorizationCode,
            of: [provider.id.text, clientID, code.secretText].map { Array($0.utf8) },
            issuedAt: nil, expiresAt: time.now() + .seconds(3600))
    }

    private func signed(
        _ make: () throws(RandomFailure) -> OutboundRequest
    ) throws(ExchangeError) -> OutboundRequest {
        do {
            return try make()
        } catch {
            throw .random(error)
        }
    }

    private func tokens(_ response: TokenResponse, of provider: Provider) -> ProviderTokens {
        ProviderTokens(
            provider: provider.id, idToken: response.idToken, accessToken: response.accessToken,
            refreshToken: response.refreshToken, expiresIn: response.expiresIn, scope: response.scope,
            tokenCredentials: nil, userID: nil, screenName: nil)
    }
}
