internal import Accounts
internal import Exchange
package import Firebase
internal import Providers
package import Standards
internal import Stores
package import Verification

package struct RefreshRequest: Sendable {
    package let client: ClientID
    package let provider: ProviderID
    package let refreshToken: RefreshToken

    package init(client: ClientID, provider: ProviderID, refreshToken: RefreshToken) {
        self.client = client
        self.provider = provider
        self.refreshToken = refreshToken
    }
}

package struct RevocationRequest: Sendable {
    package let client: ClientID
    package let provider: ProviderID
    /// An access token or a refresh token (RFC 7009 §2.1).
    let token: Secret

    package init(client: ClientID, provider: ProviderID, token: Secret) {
        self.client = client
        self.provider = provider
        self.token = token
    }
}

extension AccountCalls {
    /// Refreshes the tokens of an identity that is linked to the user's account.
    ///
    /// Nothing is stored. Tokens that are not shown to be of this person are never returned. They are revoked if the provider
    /// can, unless a passing failure leaves the refresh token of the request valid.
    ///
    /// - Throws: A refusal for ``Reason/providerTokensDisabled``, and the error of an account without such an identity, before
    ///   the provider is called; the errors of exchange and verification for its response;
    ///   the error of another account's credential if the tokens belong to another person.
    package func refresh(
        _ user: FirebaseUser, _ request: RefreshRequest
    ) async throws -> RefreshOutcome {
        let registered = try registrations.authorize(request.client, request.provider)
        guard registered.client.returnsProviderTokens else {
            throw Refusal(
                .providerTokensDisabled,
                "This client may not have the tokens of providers. Set return_provider_tokens for the client.")
        }
        let provider = registered.provider
        let caller = try await callers.caller(user, client: request.client)
        let linked = caller.account.identities.first { $0.identity.provider == provider.id }
        guard let linked else { throw Refusal.notLinked }
        // A session that was ended must not get new tokens.
        if rules.directoryIsFirebase { _ = try await authenticator.requireValid(user) }
        let tokens = try await exchanger.refresh(request.refreshToken, at: provider)
        // RFC 6749 §6: the refresh token of the request stays valid unless the provider issues another one.
        let isReplaced = tokens.refreshToken.map { !$0.secret.matches(request.refreshToken.secret) } ?? false
        let refreshed: RefreshedTokens
        do {
            refreshed = try await owner(of: tokens, asksAgain: isReplaced, at: provider)
        } catch {
            // Revoking one of the tokens may end the grant, so that the application could not try again.
            if !isReplaced, isPassing(error) { throw Refusal(error).unspent }
            await discard(tokens, at: provider)
            throw Refusal(error).spent
        }
        guard refreshed.subject == linked.identity.subject else {
            await discard(tokens, at: provider)
            throw Refusal.userMismatch.spent
        }
        return RefreshOutcome(provider: provider.id, tokens: refreshed.tokens)
    }

    /// Finds out to whom refreshed tokens belong.
    ///
    /// - Parameter asksAgain: Whether a passing failure leads to a second attempt: the application has no valid refresh token
    ///   otherwise, so that the person would have to sign in again.
    private func owner(
        of tokens: FreshTokens, asksAgain: Bool, at provider: Provider
    ) async throws -> RefreshedTokens {
        do {
            return try await pipeline.verifier.owner(of: tokens, at: provider)
        } catch {
            guard asksAgain, isPassing(error) else { throw error }
            return try await pipeline.verifier.owner(of: tokens, at: provider)
        }
    }

    private func isPassing(_ error: any Error) -> Bool {
        (Refusal(error).cause as? ProviderFailure)?.isPassing == true
    }

    /// Revokes a token at its provider, and ends no session.
    ///
    /// An application calls it before it unlinks the identity or deletes the account: the two calls do not depend on the
    /// provider, and this one can be repeated. No check compares the token with the caller: its possession is enough for
    /// more than its revocation.
    ///
    /// - Throws: ``Refusal/revocationUnsupported``, the errors of the request, or the error of the provider.
    package func revoke(_ user: FirebaseUser, _ request: RevocationRequest) async throws -> RevocationOutcome {
        let provider = try registrations.authorize(request.client, request.provider).provider
        _ = try await callers.caller(user, client: request.client)
        guard let revocation = try await exchanger.revocation(at: provider) else {
            throw Refusal.revocationUnsupported
        }
        try await exchanger.revoke(request.token, by: revocation)
        return RevocationOutcome(provider: provider.id)
    }

    /// Revokes tokens that must not be used.
    private func discard(_ tokens: FreshTokens, at provider: Provider) async {
        let secrets = [tokens.refreshToken?.secret, tokens.accessToken?.secret].compactMap(\.self)
        await exchanger.discard(secrets, at: provider)
    }
}

package struct RefreshOutcome: AuditedOutcome {
    let provider: ProviderID
    package let tokens: ReturnedTokens

    package var auditFact: AuditFact {
        var fact = AuditFact(.refresh)
        fact.provider = provider
        return fact
    }
}

/// The result of a revocation that the provider has confirmed.
package struct RevocationOutcome: AuditedOutcome {
    let provider: ProviderID

    package var auditFact: AuditFact {
        var fact = AuditFact(.revokeToken)
        fact.provider = provider
        return fact
    }
}
