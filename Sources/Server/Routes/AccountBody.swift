internal import Flows
internal import Jansson
internal import OAuth

/// The bodies of `/v1/anonymous` and `/v1/account/*`.
enum AccountBody {
    /// `{"client_id": "my-app"}`.
    static func anonymous(_ body: JSON) throws(RequestError) -> ClientID {
        ClientID(try Members(body, known: ["client_id"]).text("client_id", upTo: 128))
    }

    /// Like the body of an exchange, or with a handoff code in the place of the credential.
    ///
    /// ```json
    /// {"client_id": "my-app",
    ///  "credential": {"type": "handoff", "code": "...", "redirect_uri": "...", "code_verifier": "..."}}
    /// ```
    static func proof(_ body: JSON) throws(RequestError) -> AccountProof {
        guard body["credential"]?["type"]?.string == "handoff" else {
            return .credential(try ExchangeRoute.parse(body))
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

    /// `{"provider": "yahoo.com", "client_id": "my-app"}`; the client may be left out.
    static func unlink(_ body: JSON) throws(RequestError) -> (provider: ProviderID, client: ClientID?) {
        let members = try Members(body, known: ["provider", "client_id"])
        return (
            ProviderID(try members.text("provider", upTo: 128)),
            try members.optionalText("client_id", upTo: 128).map { ClientID($0) }
        )
    }

    /// `{"client_id": "my-app", "from_id_token": "..."}`, or `pending_credential` in its place.
    static func merge(_ body: JSON) throws(RequestError) -> MergeRequest {
        let members = try Members(body, known: ["client_id", "from_id_token", "pending_credential"])
        let client = ClientID(try members.text("client_id", upTo: 128))
        let idToken = try members.optionalText("from_id_token", upTo: 16 * 1024)
        let pending = try members.optionalText("pending_credential", upTo: 60 * 1024)
        switch (idToken, pending) {
        case (let idToken?, nil): return MergeRequest(client: client, proof: .idToken(Secret(idToken)))
        case (nil, let pending?): return MergeRequest(client: client, proof: .pendingCredential(Secret(pending)))
        case (nil, nil): throw .missingField("from_id_token")
        // Two proofs could be of two accounts.
        case (_?, _?): throw .unknownField(known: ["client_id", "from_id_token or pending_credential"])
        }
    }

    /// `{"client_id": "my-app", "provider": "yahoo.com", "token": "..."}`; all of it may be left out, and provider and
    /// token come together.
    static func signOut(
        _ body: JSON
    ) throws(RequestError) -> (client: ClientID?, token: (provider: ProviderID, token: Secret)?) {
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
}
