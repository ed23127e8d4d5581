internal import AttackLab
internal import Jansson

extension Desk {
    /// `POST /v1/nonce`.
    func nonce(_ visit: Visit) async throws(Refusal) -> JSON {
        let body = try await JSONText(kit: kit).object(visit)
        let fields = try Fields(body, known: ["client_id", "provider"])
        let (client, provider) = (try fields.text("client_id", upTo: 128), try fields.text("provider", upTo: 128))
        try visit.checkOrigin(of: Client.named(client, kit: kit))
        _ = try admit(client, provider)
        let issued = try nonces.issue(client: client, provider: provider)
        return .object([
            "nonce": .string(issued.nonce), "nonce_verifier": .string(issued.verifier),
            "expires_in": .integer(NonceDesk.lifetime),
        ])
    }

    /// `POST /v1/exchange`.
    func exchange(_ visit: Visit) async throws(Refusal) -> JSON {
        let body = try await JSONText(kit: kit).object(visit)
        // Whose uid it is, nobody but us may say.
        let further = kit.makes(.uidFromBody) ? ["uid"] : []
        let fields = try Fields(body, known: ["client_id", "provider", "credential"] + further)
        let (client, provider) = (try fields.text("client_id", upTo: 128), try fields.text("provider", upTo: 128))
        let object = try fields.object("credential")
        let credential = try Credential(object, kit: kit)
        try visit.checkOrigin(of: Client.named(client, kit: kit))
        let person = try await person(by: credential, client: try admit(client, provider), provider: provider)
        let uid = further.isEmpty ? nil : body["uid"]?.string ?? object["uid"]?.string
        return .object(try await members(of: person, asking: uid))
    }

    /// Who a credential speaks for.
    ///
    /// - `ignoresAudience`: where it came in by a door that was forgotten.
    func person(
        by credential: Credential, client: Client, provider: String, ignoresAudience: Bool = false
    ) async throws(Refusal) -> Person {
        switch (credential, provider) {
        case (.code(let code, let redirectURI, let verifier, let nonce), _):
            guard client.providerRedirectURIs.contains(where: { same($0, redirectURI) }) else { throw .redirectURI }
            if provider == Yahoo.id {
                guard verifier == nil else { throw .parameterNotAllowed }
                guard let nonce else { throw .missing("nonce") }
                return try await yahoo.person(code: code, redirectURI: redirectURI, nonce: nonce)
            }
            guard verifier != nil || kit.makes(.verifierOptional) else { throw .proofKeyRequired }
            guard verifier.map(Challenge.isVerifier) ?? true else { throw .malformedBody }
            guard nonce == nil else { throw .parameterNotAllowed }
            return try await x.person(code: code, redirectURI: redirectURI, codeVerifier: verifier)
        case (.idToken(let idToken, let nonce, let accessToken), Yahoo.id):
            guard let nonce else { throw .missing("nonce") }
            let name = try nonces.name(of: nonce, client: client.id, provider: provider)
            return try await yahoo.person(
                idToken: idToken, accessToken: accessToken, nonce: (NonceDesk.nonce(of: nonce), name),
                ignoresAudience: ignoresAudience)
        case (.pair(let token, let secret, let nonce, let claimedID), X.id):
            if kit.makes(.pairUnverified), let claimedID {
                return Person(provider: X.id, subject: claimedID, profile: [:], proof: "none")
            }
            if kit.makes(.pairReplayable) { return try await x.person(token: token, secret: secret, nonce: nil) }
            // The pair never ends, so a fresh nonce is what makes the request good for once.
            guard let nonce else { throw .missing("nonce") }
            let name = try nonces.name(of: nonce, client: client.id, provider: provider)
            return try await x.person(token: token, secret: secret, nonce: name)
        case (.accessToken(let token), Yahoo.id) where kit.makes(.bearerOfYahoo):
            return try await yahoo.person(bearer: token)
        case (.accessToken(let token), X.id) where kit.makes(.bearerOfX):
            return try await x.person(bearer: token, proof: "userinfo")
        // It does not say for whom it was issued.
        case (.accessToken, _): throw .audienceUnverifiable
        case (.pending(let text), _):
            guard let person = nonces.seal.person(in: text, client: client.id) else { throw .sessionInvalid }
            return person
        // Nothing of these is ever given out here.
        case (.foreign, _): throw .sessionInvalid
        case (.idToken, _), (.pair, _): throw .unsupportedCredential
        }
    }
}
