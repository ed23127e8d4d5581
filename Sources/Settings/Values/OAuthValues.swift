internal import Providers
internal import Standards

extension Settings {
    /// The client authentication at the token endpoint (OpenID Connect Core §9).
    package enum TokenEndpointAuthentication: String, Sendable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        /// A JWT that this server signs (RFC 7523).
        case privateKeyJWT = "private_key_jwt"
        /// A public client, which has no secret.
        case none
    }
}

extension Rule<ProofKeyMethod> {
    /// The use of RFC 7636 at a provider.
    static var proofKeyMethod: Self { .word([("off", .off), ("S256", .s256)]) }
}

extension Rule<[GrantType]> {
    /// The grant types that a client may use at `POST /token`.
    static var grants: Self {
        .words(
            .word([
                ("authorization_code", .authorizationCode), ("token_exchange", .tokenExchange),
                ("device_code", .deviceCode),
            ]))
    }
}

extension Rule<[CredentialType]> {
    /// Types of credentials that `POST /v1/exchange` accepts if they are configured.
    ///
    /// `callback` and `pending` are always accepted. The `refused` ones are those whose audience the provider cannot prove.
    static func credentials(except refused: [CredentialType], because reason: String) -> Self {
        let types: [CredentialType] = [.authorizationCode, .idToken, .oauth1Token, .accessToken]
        return .words(.word(types.map { ($0.rawValue, $0) }, except: refused, because: reason))
    }
}

extension Entry {
    /// Reads a scope (RFC 6749 §3.3): printable ASCII except the space, `"` and `\`.
    func scope() -> String? {
        guard let text = text() else { return nil }
        let isScope = text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
        guard isScope else { return refusing("is not a scope: write each scope separately, as in [openid, email]") }
        return text
    }

    /// Reads the name of a parameter of the authorization request that an application may choose.
    ///
    /// Parameters that control the flow itself are refused.
    func parameterName() -> String? {
        guard let text = text() else { return nil }
        guard text.consists(of: .lettersAndDigits, or: "-._") else {
            return refusing("is not the name of a parameter: use letters, digits, hyphens, dots and underscores")
        }
        let name = text.lowercased()
        guard !Self.reservedParameters.contains(name), !name.hasPrefix("oauth_") else {
            return refusing("is reserved, so applications must not choose it: leave it out")
        }
        return text
    }

    private static let reservedParameters: Set<String> = [
        "claims", "client_id", "client_secret", "code_challenge", "code_challenge_method", "id_token_hint", "nonce",
        "redirect_uri", "request", "request_uri", "response_mode", "response_type", "scope", "state",
    ]
}
