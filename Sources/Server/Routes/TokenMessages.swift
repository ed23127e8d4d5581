internal import Flows
internal import JOSE
internal import Jansson
internal import Standards

/// The messages of `POST /token`, which exchanges a handoff code, a subject token or a device code for a custom token.
enum TokenMessages {
    /// A request of one of the grants.
    enum Request: Sendable {
        case handoff(code: Secret, redirectURI: String, codeVerifier: Secret, client: ClientID)
        case subjectToken(ExchangeRequest)
        case device(code: Secret, client: ClientID)

        var grant: GrantType {
            switch self {
            case .handoff: .authorizationCode
            case .subjectToken: .tokenExchange
            case .device: .deviceCode
            }
        }

        var client: ClientID {
            switch self {
            case .handoff(_, _, _, let client), .device(_, let client): client
            case .subjectToken(let request): request.client
            }
        }

        /// The provider; `nil` if only the code determines it.
        var provider: ProviderID? {
            if case .subjectToken(let request) = self { request.provider } else { nil }
        }
    }

    private static let jwt = "urn:ietf:params:oauth:token-type:jwt"

    /// Parameters that may occur more than once (RFC 8693 §2.1), also in an authorization request (RFC 8707 §2).
    static let repeatable: Set<String> = ["audience", "resource"]

    static func parse(_ form: Standards.Parameters) throws(Refusal) -> Request {
        guard let name = form["grant_type"] else { throw .parameterMissing("grant_type", in: form) }
        guard let grant = GrantType(rawValue: name) else {
            let others = ["refresh_token", "client_credentials", "password", "device_code"]
            throw Refusal(
                .unsupportedGrantType,
                "This grant_type is not supported. Use one of grant_types_supported in the server metadata.",
                finding: others.first { $0.exactlyEquals(name) }.map {
                    "grant_type is \($0), and must be one of "
                        + GrantType.allCases.map(\.rawValue).joined(separator: ", ")
                })
        }
        let client = ClientID(try form.required("client_id"))
        switch grant {
        case .authorizationCode:
            // RFC 7636 §4.5. Every flow has a code challenge, so that every redemption needs the verifier.
            guard let codeVerifier = form["code_verifier"] else { throw .codeVerifierRequired(in: form) }
            return .handoff(
                code: Secret(try form.required("code")), redirectURI: try form.required("redirect_uri"),
                codeVerifier: Secret(codeVerifier), client: client)
        case .tokenExchange:
            return .subjectToken(try subjectToken(form, client))
        case .deviceCode:
            return .device(code: Secret(try form.required("device_code")), client: client)
        }
    }

    /// Reads a token exchange request (RFC 8693 §2.1).
    private static func subjectToken(_ form: Standards.Parameters, _ client: ClientID) throws(Refusal)
        -> ExchangeRequest
    {
        guard form["audience"] == nil, form["resource"] == nil else {
            throw Refusal(
                .invalidTarget,
                "The server issues tokens for its own Firebase project only. Omit audience and resource.")
        }
        // Delegation (RFC 8693 §1.1) is not supported.
        for name in ["actor_token", "actor_token_type"] where form[name] != nil {
            throw .parameterNotAllowed(name)
        }
        guard form["requested_token_type"] ?? jwt == jwt
        else {
            throw Refusal(
                .malformedBody,
                "This server issues no token of this requested_token_type. Omit the parameter, or send \(jwt).")
        }
        let token = try form.required("subject_token")
        let nonce = form["nonce"].map { Secret($0) }
        let credential: Credential
        switch try form.required("subject_token_type") {
        case "urn:ietf:params:oauth:token-type:id_token":
            credential = .idToken(UnverifiedIDToken(token), nonce: nonce, accessToken: nil)
        case "urn:ietf:params:oauth:token-type:access_token":
            credential = .accessToken(AccessToken(token), nonce: nonce)
        default:
            throw Refusal(
                .unknownCredentialType,
                "This subject_token_type is not supported. Send urn:ietf:params:oauth:token-type:id_token with an ID token, or "
                    + "urn:ietf:params:oauth:token-type:access_token with an access token.")
        }
        return ExchangeRequest(client: client, provider: ProviderID(try issuer(of: form)), credential: credential)
    }

    /// Returns `subject_issuer`, which may also be called `provider` as at the other endpoints.
    ///
    /// RFC 8693 has no parameter for the issuer of the subject token. Two different values are refused: a proxy or a log
    /// could read the other one.
    private static func issuer(of form: Standards.Parameters) throws(Refusal) -> String {
        guard let provider = form["provider"] else { return try form.required("subject_issuer") }
        guard form["subject_issuer"]?.exactlyEquals(provider) ?? true
        else { throw .parameterMalformed("provider", "differs from subject_issuer") }
        return provider
    }

    /// Describes a sign-in with the member names of RFC 6749 §5.1 and RFC 8693 §2.2.1.
    static func json(_ outcome: SignInOutcome, for grant: GrantType) -> JSON {
        var members = ExchangeMessages.members(outcome)
        members["access_token"] =
            members.removeValue(forKey: "custom_token") ?? members.removeValue(forKey: "firebase_id_token")
        switch grant {
        case .tokenExchange:
            members["issued_token_type"] = .string(jwt)
            // RFC 8693 §2.2.1: `N_A` marks a token that is not an access token.
            members["token_type"] = .string("N_A")
        case .authorizationCode, .deviceCode:
            members["token_type"] = .string("Bearer")
        }
        return .object(members)
    }
}

extension Standards.Parameters {
    fileprivate func required(_ name: String) throws(Refusal) -> String {
        guard let value = self[name] else { throw .parameterMissing(name, in: self) }
        return value
    }
}
