internal import Accounts
internal import Firebase
internal import Flows
internal import Jansson
internal import Minting
internal import Providers
internal import Standards
internal import Verification

/// The messages of `POST /v1/exchange`, which exchanges a credential for a custom token.
///
/// ```json
/// {"client_id": "my-app", "provider": "yahoo.com", "credential": {"type": "id_token", "id_token": "...", "nonce": "..."}}
/// ```
enum ExchangeMessages {
    static func parse(_ body: JSON) throws(Refusal) -> ExchangeRequest {
        let members = try Members(body, known: ["client_id", "provider", "credential"])
        let client = ClientID(try members.text("client_id", upTo: 128))
        // A pending credential stands for its provider.
        let isPending = body["credential"]?["type"]?.string == CredentialType.pending.rawValue
        let provider =
            isPending
            ? try members.optionalText("provider", upTo: 128) : try members.text("provider", upTo: 128)
        return ExchangeRequest(
            client: client, provider: provider.map { ProviderID($0) },
            credential: try credential(members.object("credential")))
    }

    private static func credential(_ object: JSON) throws(Refusal) -> Credential {
        // The type decides which members are known, so that a body with two kinds of credentials is refused.
        guard let name = object["type"] else { throw .missingField("credential.type") }
        guard let type = name.string.flatMap(CredentialType.init(rawValue:))
        else { throw .unknownCredentialType }
        let members = try Members(object, known: ["type"] + knownMembers(of: type))
        switch type {
        case .authorizationCode:
            return .authorizationCode(
                code: Secret(try members.text("code", upTo: 4096)),
                redirectURI: try members.text("redirect_uri"),
                codeVerifier: try members.optionalText("code_verifier", upTo: 1024).map(Secret.init),
                nonce: try members.optionalText("nonce").map(Secret.init))
        case .idToken:
            return .idToken(
                // A token over CompactJWS.maximumBytes is refused as malformed_token, and not as a malformed member.
                UnverifiedIDToken(try members.text("id_token", upTo: 32 * 1024)),
                nonce: try members.optionalText("nonce").map(Secret.init),
                accessToken: try members.optionalText("access_token", upTo: 16 * 1024).map(AccessToken.init))
        case .oauth1Token:
            return .oauth1Token(
                TokenCredentials(
                    identifier: Secret(try members.text("oauth_token")),
                    sharedSecret: Secret(try members.text("oauth_token_secret"))),
                nonce: try members.optionalText("nonce").map(Secret.init))
        case .accessToken:
            return .accessToken(
                AccessToken(try members.text("access_token", upTo: 16 * 1024)),
                nonce: try members.optionalText("nonce").map(Secret.init))
        case .callback:
            return .callback(
                session: Secret(try members.text("session", upTo: 16 * 1024)),
                callbackURL: Secret(try members.text("callback_url", upTo: 16 * 1024)))
        case .pending:
            return .pending(Secret(try members.text("pending_credential", upTo: 16 * 1024)))
        }
    }

    private static func knownMembers(of type: CredentialType) -> [String] {
        switch type {
        case .authorizationCode: ["code", "redirect_uri", "code_verifier", "nonce"]
        case .idToken: ["id_token", "nonce", "access_token"]
        case .oauth1Token: ["oauth_token", "oauth_token_secret", "nonce"]
        case .accessToken: ["access_token", "nonce"]
        case .callback: ["session", "callback_url"]
        case .pending: ["pending_credential"]
        }
    }

    /// Describes a sign-in; members without a value are omitted.
    static func json(_ outcome: SignInOutcome) -> JSON { .object(members(outcome)) }

    static func members(_ outcome: SignInOutcome) -> [String: JSON] {
        let account = outcome.account
        var members =
            account.identity.map { self.members(of: $0, tokens: outcome.providerTokens) }
            ?? ["provider": .string("anonymous")]
        members["uid"] = .string(account.uid.text)
        members["is_new_user"] = .bool(account.isNew)
        if let (name, value) = outcome.providerProfile?.member { members[name] = value }
        if outcome.isLinked { members["linked"] = .bool(true) }
        return members.merging(tokens(of: outcome)) { _, token in token }
    }

    /// Describes the custom token of a sign-in, or the Firebase tokens that replace it.
    static func tokens(of outcome: SignInOutcome) -> [String: JSON] {
        var members: [String: JSON] = [:]
        if let session = outcome.firebaseSession {
            members["firebase_id_token"] = .string(session.idToken.secretText)
            members["firebase_refresh_token"] = .string(session.refreshToken.secretText)
            let lifetime = JSON.integer(session.expiresIn.components.seconds)
            members["firebase_expires_in"] = lifetime
            members["expires_in"] = lifetime
        } else {
            members["custom_token"] = .string(outcome.token.secret.secretText)
            members["expires_in"] = .integer(outcome.token.expiresIn)
        }
        return members
    }

    /// Describes a verified identity, with the tokens of the provider if the client receives them.
    static func members(of identity: VerifiedIdentity, tokens: ReturnedTokens?) -> [String: JSON] {
        var members: [String: JSON] = [
            "provider": .string(identity.provider.text),
            "provider_uid": .string(identity.subject.text),
            "audience_proof": .string(identity.audienceProof.rawValue),
            "profile": identity.profile.json,
        ]
        members["oauth"] = tokens.map(oauth)
        return members
    }

    /// Describes the tokens of a provider; members without a value are omitted.
    static func oauth(_ tokens: ReturnedTokens) -> JSON {
        .object(
            present([
                ("access_token", tokens.accessToken.map { .string($0.secretText) }),
                ("id_token", tokens.idToken.map { .string($0.secretText) }),
                ("refresh_token", tokens.refreshToken.map { .string($0.secretText) }),
                ("oauth_token_secret", tokens.oauthTokenSecret.map { .string($0.secretText) }),
                ("expires_in", tokens.expiresIn.map(JSON.integer)),
                ("scope", tokens.scope.map(JSON.string)),
            ]))
    }

    private static func present(_ members: [(String, JSON?)]) -> [String: JSON] {
        Dictionary(uniqueKeysWithValues: members.compactMap { name, value in value.map { (name, $0) } })
    }
}
