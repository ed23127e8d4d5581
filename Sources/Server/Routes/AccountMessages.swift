internal import Firebase
internal import Flows
internal import JOSE
internal import Jansson
internal import Standards
internal import Stores

/// The messages of `/v1/anonymous`, `/v1/account/*` and `/v1/provider-token/*`.
enum AccountMessages {
    // MARK: - Requests

    /// `{"client_id": "my-app"}`.
    static func anonymous(_ body: JSON) throws(Refusal) -> ClientID {
        ClientID(try Members(body, known: ["client_id"]).text("client_id", upTo: 128))
    }

    /// Reads the body of an exchange, or one with a handoff code as the credential.
    ///
    /// ```json
    /// {"client_id": "my-app",
    ///  "credential": {"type": "handoff", "code": "...", "redirect_uri": "...", "code_verifier": "..."}}
    /// ```
    static func proof(_ body: JSON) throws(Refusal) -> AccountProof {
        // A second factor continues a sign-in, and proves no identity.
        guard !SecondFactorMessages.isSecondFactor(body) else {
            throw Refusal(
                .unsupportedCredential,
                "A second factor proves no identity. Send it to /v1/exchange, and here the proof of an identity.")
        }
        guard body["credential"]?["type"]?.string == "handoff" else {
            return .credential(try ExchangeMessages.parse(body))
        }
        let members = try Members(body, known: ["client_id", "credential"])
        let credential = try Members(
            members.object("credential"), known: ["type", "code", "redirect_uri", "code_verifier"])
        return .handoff(
            client: ClientID(try members.text("client_id", upTo: 128)),
            code: Secret(try credential.text("code", upTo: 4096)),
            redirectURI: try credential.text("redirect_uri"),
            codeVerifier: Secret(try credential.text("code_verifier", upTo: 1024)))
    }

    /// `{"provider": "yahoo.com", "client_id": "my-app"}`; the client is optional.
    static func unlink(_ body: JSON) throws(Refusal) -> (provider: ProviderID, client: ClientID?) {
        let members = try Members(body, known: ["provider", "client_id"])
        return (
            ProviderID(try members.text("provider", upTo: 128)),
            try members.optionalText("client_id", upTo: 128).map { ClientID($0) }
        )
    }

    /// `{"client_id": "my-app", "from_id_token": "..."}`, or `pending_credential` instead of `from_id_token`.
    static func merge(_ body: JSON) throws(Refusal) -> MergeRequest {
        let members = try Members(body, known: ["client_id", "from_id_token", "pending_credential"])
        let client = ClientID(try members.text("client_id", upTo: 128))
        let idToken = try members.optionalText("from_id_token", upTo: 16 * 1024)
        let pending = try members.optionalText("pending_credential", upTo: 16 * 1024)
        switch (idToken, pending) {
        case (let idToken?, nil): return MergeRequest(client: client, proof: .idToken(Secret(idToken)))
        case (nil, let pending?): return MergeRequest(client: client, proof: .pendingCredential(Secret(pending)))
        case (nil, nil): throw .missingField("from_id_token")
        // Two proofs could name two accounts.
        case (_?, _?): throw .contradictoryFields("from_id_token", "pending_credential")
        }
    }

    /// `{"client_id": "my-app", "provider": "yahoo.com", "refresh_token": "..."}`.
    static func refresh(_ body: JSON) throws(Refusal) -> RefreshRequest {
        let members = try Members(body, known: ["client_id", "provider", "refresh_token"])
        return RefreshRequest(
            client: ClientID(try members.text("client_id", upTo: 128)),
            provider: ProviderID(try members.text("provider", upTo: 128)),
            refreshToken: RefreshToken(try members.text("refresh_token", upTo: 16 * 1024)))
    }

    /// `{"client_id": "my-app", "provider": "apple.com", "token": "..."}`.
    static func revocation(_ body: JSON) throws(Refusal) -> RevocationRequest {
        let members = try Members(body, known: ["client_id", "provider", "token"])
        return RevocationRequest(
            client: ClientID(try members.text("client_id", upTo: 128)),
            provider: ProviderID(try members.text("provider", upTo: 128)),
            token: Secret(try members.text("token", upTo: 16 * 1024)))
    }

    /// `{"client_id": "my-app", "provider": "yahoo.com", "token": "..."}`; every member is optional, but provider and
    /// token require each other.
    static func signOut(
        _ body: JSON
    ) throws(Refusal) -> (client: ClientID?, token: (provider: ProviderID, token: Secret)?) {
        let members = try Members(body, known: ["client_id", "provider", "token"])
        let client = try members.optionalText("client_id", upTo: 128).map { ClientID($0) }
        let provider = try members.optionalText("provider", upTo: 128)
        let token = try members.optionalText("token", upTo: 16 * 1024)
        switch (provider, token) {
        case (nil, nil): return (client, nil)
        case (let provider?, let token?): return (client, (ProviderID(provider), Secret(token)))
        case (_?, nil): throw .missingField("token")
        case (nil, _?): throw .missingField("provider")
        }
    }

    // MARK: - Responses

    /// Describes an account; times are seconds since 1970-01-01T00:00:00Z, and unknown members are omitted.
    static func account(_ description: AccountDescription) -> JSON {
        let account = description.account
        return .object([
            "uid": .string(account.uid.text), "anonymous": .bool(account.isAnonymous),
            "created_at": .integer(account.createdAt.seconds),
            "identities": .array(
                account.identities.map(identity) + description.managedByFirebase.map(firebaseProvider)),
        ])
    }

    private static func account(_ account: StoredAccount) -> JSON { self.account(AccountDescription(account)) }

    private static func identity(_ stored: StoredIdentity) -> JSON {
        var members: [String: JSON] = [
            "provider": .string(stored.identity.provider.text),
            "provider_uid": .string(stored.identity.subject.text),
            "linked_at": .integer(stored.linkedAt.seconds), "last_used_at": .integer(stored.lastUsedAt.seconds),
            "managed_by": .string("us"),
        ]
        members.merge(details(stored.details)) { member, _ in member }
        return .object(members)
    }

    /// Describes a provider that only Firebase can link and unlink.
    private static func firebaseProvider(_ provider: FirebaseUserRecord.LinkedProvider) -> JSON {
        var members: [String: JSON] = ["provider": .string(provider.id.text), "managed_by": .string("firebase")]
        members["provider_uid"] = provider.rawID.map { .string($0.text) }
        members.merge(details(provider.details)) { member, _ in member }
        return .object(members)
    }

    private static func details(_ details: IdentityDetails) -> [String: JSON] {
        var members: [String: JSON] = [:]
        members["email"] = details.email.map(JSON.string)
        members["name"] = details.name.map(JSON.string)
        members["picture"] = details.picture.map(JSON.string)
        return members
    }

    static func linked(_ outcome: LinkOutcome) -> JSON {
        var members = ExchangeMessages.members(outcome.signIn)
        members["account"] = account(outcome.account)
        return .object(members)
    }

    static func unlinked(_ outcome: UnlinkOutcome) -> JSON { .object(["account": account(outcome.account)]) }

    static func merged(_ outcome: MergeOutcome) -> JSON {
        var members = ExchangeMessages.tokens(of: outcome.signIn)
        members["account"] = account(outcome.account)
        members["firebase_user"] = firebaseUser(outcome.removal)
        members["merged_uid"] = .string(outcome.mergedUID.text)
        return .object(members)
    }

    static func deleted(_ removal: FirebaseUserRemoval) -> JSON { .object(["firebase_user": firebaseUser(removal)]) }

    /// A user whose sessions were revoked still exists, and is reported as kept.
    private static func firebaseUser(_ removal: FirebaseUserRemoval) -> JSON {
        switch removal {
        case .deleted: .string("deleted")
        case .sessionsEnded, .kept: .string("kept")
        case .none: .string("none")
        }
    }

    static func signedOut(_ outcome: SignOutOutcome) -> JSON {
        .object([
            "sessions_revoked": .bool(outcome.revokesSessions), "token_revoked": .bool(outcome.revokesToken),
        ])
    }
}
