/// Values that the sections of several providers share.
extension Settings {
    /// The proof that a user has logged in again.
    package enum Reauthentication: String, Sendable, CaseIterable {
        case authTime = "auth_time"
        /// For a provider that does not send `auth_time`: requesting a fresh login is sufficient.
        case prompt
    }

    /// When a profile is fetched that needs a separate call.
    package enum ProfileRule: String, Sendable, CaseIterable {
        case always
        case firstSignIn = "first_sign_in"
    }

    /// The use of RFC 7636 at the provider.
    package enum PKCE: String, Sendable, CaseIterable {
        case off
        case s256 = "S256"
    }

    /// The rule by which an e-mail address counts as verified.
    package enum EmailTrust: String, Sendable, CaseIterable {
        /// Verified if `email_verified` is true.
        case claim
        case always
        case never
    }

    /// Types of credentials that `POST /v1/exchange` accepts if they are configured.
    ///
    /// `callback` and `pending` are always accepted.
    package enum CredentialType: String, Sendable, CaseIterable {
        case authorizationCode = "authorization_code"
        case idToken = "id_token"
        case oauth1Token = "oauth1_token"
        case accessToken = "access_token"
    }

    /// The source of the nonce of an ID token that an application posts.
    package enum NonceRule: String, Sendable, CaseIterable {
        /// `POST /v1/nonce` created it.
        case server
        /// The application created it; the token contains its SHA-256.
        case client
        /// The application created it; the token contains it unchanged.
        case clientPlain = "client_plain"
    }

    /// The client authentication at the token endpoint (OpenID Connect Core §9).
    package enum TokenEndpointAuthentication: String, Sendable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        /// A public client, which has no secret.
        case none
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

    func scopes() -> [String]? { list { $0.scope() } }

    /// Reads names of parameters of the authorization request that an application may choose.
    ///
    /// Parameters that control the flow itself are refused.
    func parameterNames() -> [String]? {
        list { entry in
            guard let text = entry.text() else { return nil }
            let isName = text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._".utf8.contains(byte)
            }
            guard isName else {
                return entry.refusing(
                    "is not the name of a parameter: use letters, digits, hyphens, dots and underscores")
            }
            let name = text.lowercased()
            guard !Self.reservedParameters.contains(name), !name.hasPrefix("oauth_") else {
                return entry.refusing("is reserved, so applications must not choose it: leave it out")
            }
            return text
        }
    }

    private static let reservedParameters: Set<String> = [
        "claims", "client_id", "client_secret", "code_challenge", "code_challenge_method", "id_token_hint", "nonce",
        "redirect_uri", "request", "request_uri", "response_mode", "response_type", "scope", "state",
    ]

    /// Reads types of credentials, without those whose audience the provider cannot prove.
    func credentialTypes(
        except refused: [Settings.CredentialType], because reason: String
    ) -> [Settings.CredentialType]? {
        list { $0.choice(Settings.CredentialType.self, except: refused, because: reason) }
    }
}
