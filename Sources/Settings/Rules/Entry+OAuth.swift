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
