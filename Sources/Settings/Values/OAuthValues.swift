/// Words that more than one provider's section knows.
extension Settings {
    /// What shows that a person has logged in again.
    package enum Reauthentication: String, Sendable, CaseIterable {
        case authTime = "auth_time"
        /// For a provider that does not send `auth_time`: it is enough that a fresh login was requested.
        case prompt
    }

    /// When a profile is fetched that takes a call of its own.
    package enum ProfileRule: String, Sendable, CaseIterable {
        case always
        case firstSignIn = "first_sign_in"
    }

    /// RFC 7636, towards the provider.
    package enum PKCE: String, Sendable, CaseIterable {
        case off
        case s256 = "S256"
    }

    /// Whether an e-mail address counts as verified.
    package enum EmailTrust: String, Sendable, CaseIterable {
        /// Where `email_verified` says so.
        case claim
        case always
        case never
    }

    /// Types of credentials that `POST /v1/exchange` takes.
    ///
    /// `callback` and `pending` are not switched.
    package enum CredentialType: String, Sendable, CaseIterable {
        case authorizationCode = "authorization_code"
        case idToken = "id_token"
        case oauth1Token = "oauth1_token"
        case accessToken = "access_token"
    }

    /// What the nonce of an ID token that an application posts is compared with.
    package enum NonceRule: String, Sendable, CaseIterable {
        /// `POST /v1/nonce` made it.
        case server
        /// The application made it; the token holds its SHA-256.
        case client
        /// The application made it; the token holds it as it is.
        case clientPlain = "client_plain"
    }

    /// How we authenticate at the token endpoint (OpenID Connect Core §9).
    package enum TokenEndpointAuthentication: String, Sendable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        /// A public client, which has no secret.
        case none
    }
}

extension Entry {
    /// A scope (RFC 6749 §3.3): printable ASCII but for the space, `"` and `\`.
    func scope() -> String? {
        guard let text = text() else { return nil }
        let isScope = text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
        guard isScope else { return refusing("is no scope: write each one for itself, as in [openid, email]") }
        return text
    }

    func scopes() -> [String]? { list { $0.scope() } }

    /// Names of parameters of the authorization request that an application may choose.
    ///
    /// Those that carry the flow itself are never its to choose.
    func parameterNames() -> [String]? {
        list { entry in
            guard let text = entry.text() else { return nil }
            let isName = text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._".utf8.contains(byte)
            }
            guard isName else { return entry.refusing("is no name of a parameter") }
            let name = text.lowercased()
            guard !Self.reservedParameters.contains(name), !name.hasPrefix("oauth_") else {
                return entry.refusing("is reserved: applications never choose it")
            }
            return text
        }
    }

    private static let reservedParameters: Set<String> = [
        "claims", "client_id", "client_secret", "code_challenge", "code_challenge_method", "id_token_hint", "nonce",
        "redirect_uri", "request", "request_uri", "response_mode", "response_type", "scope", "state",
    ]

    /// Types of credentials, without those that the provider has no proof of audience for.
    func credentialTypes(
        except refused: [Settings.CredentialType], because reason: String
    ) -> [Settings.CredentialType]? {
        list { $0.choice(Settings.CredentialType.self, except: refused, because: reason) }
    }
}
