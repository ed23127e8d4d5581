internal import HTTPTypes
internal import HummingbirdCore
internal import Jansson

/// The values of `grant_type` and the token types.
enum TokenGrant {
    static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let jwt = "urn:ietf:params:oauth:token-type:jwt"
    static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
}

extension Handlers {
    /// `POST /token`.
    func token(_ incoming: IncomingRequest) async throws(Refusal) -> JSON {
        var isSubjectToken = false
        do throws(Refusal) {
            // RFC 8693 section 2.1.
            let form = try await Form.body(of: incoming, repeatable: ["audience", "resource"])
            guard incoming.request.headers[.authorization] == nil else { throw .clientSecret(inHeader: true) }
            guard form["client_secret"] == nil, form["client_assertion"] == nil else {
                throw .clientSecret(inHeader: false)
            }
            try incoming.checkOrigin(of: form["client_id"].flatMap { Client.named($0, environment: environment) })
            var members: [String: JSON]
            switch try form.required("grant_type") {
            case "authorization_code":
                members = try await redeem(form)
                members["token_type"] = .string("Bearer")
            case TokenGrant.exchange:
                let request = try SubjectTokenRequest(form, environment: environment)
                isSubjectToken = true
                members = try await exchange(request, form)
                // RFC 8693 section 2.2.1: the value for a token that is not an access token.
                members["token_type"] = .string("N_A")
                members["issued_token_type"] = .string(TokenGrant.jwt)
            case let name: throw .grantType.with(input: name)
            }
            members["access_token"] = members.removeValue(forKey: "custom_token")
            return .object(members)
        } catch {
            throw error.atTokenEndpoint(isSubjectToken: isSubjectToken)
        }
    }

    /// The application redeems the code that its browser received (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
    private func redeem(_ form: Form) async throws(Refusal) -> [String: JSON] {
        let name = try form.required("client_id")
        let verifier = form["code_verifier"]
        guard verifier != nil || environment.makes(.verifierOptional) || environment.makes(.challengeOptional) else {
            throw .proofKeyRequired
        }
        let (code, redirectURI) = (try form.required("code"), try form.required("redirect_uri"))
        guard let client = Client.named(name, environment: environment) else { throw .unknownClient.with(input: name) }
        guard verifier.map(Challenge.isVerifier) ?? true else { throw .malformedBody }
        let identity = try await handoffs.redeem(code, client: client, redirectURI: redirectURI, verifier: verifier)
        return try await members(of: identity, asking: environment.makes(.uidFromBody) ? form["uid"] : nil)
    }

    private func exchange(_ request: SubjectTokenRequest, _ form: Form) async throws(Refusal) -> [String: JSON] {
        let client = try admit(request.client, request.provider)
        let identity = try await identity(
            by: request.credential, client: client, provider: request.provider,
            ignoresAudience: environment.makes(.forgottenDoor))
        return try await members(of: identity, asking: environment.makes(.uidFromBody) ? form["uid"] : nil)
    }
}

/// A token exchange request (RFC 8693 section 2.1).
struct SubjectTokenRequest: Sendable {
    let client: String
    let provider: String
    let credential: Credential

    init(_ form: Form, environment: BackendEnvironment) throws(Refusal) {
        client = try form.required("client_id")
        if !environment.makes(.targetIgnored) {
            guard form["audience"] == nil, form["resource"] == nil else { throw .target }
        }
        guard form["actor_token"] == nil, form["actor_token_type"] == nil else { throw .parameterNotAllowed }
        guard form["requested_token_type"] ?? TokenGrant.jwt == TokenGrant.jwt else { throw .malformedBody }
        let token = try form.required("subject_token")
        switch try form.required("subject_token_type") {
        case TokenGrant.idToken: credential = .idToken(token, nonce: form["nonce"], accessToken: nil)
        case TokenGrant.accessToken: credential = .accessToken(token)
        case let type: throw .unknownCredentialType.with(input: type)
        }
        let issuer = form["subject_issuer"] ?? form["provider"]
        guard form["provider"] ?? issuer == issuer else { throw .malformedBody }
        guard let issuer else { throw .missing("subject_issuer") }
        provider = issuer
    }
}
