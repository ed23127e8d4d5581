internal import Providers
internal import Standards

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

extension Rule<[String: String]> {
    /// Parameters of an authorization request, with their values.
    static var parameters: Self {
        pairs(
            { member in
                guard member.isParameterName(member.name) else { return nil }
                // These two decide what is checked of the response, and an application may send them.
                guard !["max_age", "prompt"].contains(member.name) else {
                    return member.refusing("is a parameter that only applications set: write it in allowed_parameters")
                }
                return member.parameterValue()
            }, write: { $0 })
    }

    /// Parameters of a request with which this server authenticates, with their values.
    static var tokenParameters: Self {
        secretPairs(except: [
            "client_assertion", "client_assertion_type", "client_secret", "code", "code_verifier", "grant_type",
            "redirect_uri", "refresh_token", "token", "token_type_hint",
        ])
    }

    /// Further header fields of a request with an access token, with their values.
    static var headerFields: Self {
        secretPairs(except: [
            "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "expect",
            "host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding",
            "upgrade",
        ])
    }

    private static func secretPairs(except refused: Set<String>) -> Self {
        pairs(
            { member in
                guard member.hasParameterCharacters(member.name) else { return nil }
                guard !refused.contains(member.name.lowercased()) else {
                    return member.refusing("is one that only the server sets: leave it out")
                }
                guard let value = member.text().flatMap({ member.follow($0) })?.secretText else { return nil }
                guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                    return member.refusing("contains characters other than printable ASCII: leave them out")
                }
                return value
            }, write: { _ in "[secret elided]" })
    }

    private static func pairs(
        _ read: @escaping @Sendable (Entry) -> String?, write: @escaping @Sendable (String) -> String
    ) -> Self {
        Self(
            { entry in
                guard let members = entry.members() else { return nil }
                let pairs = members.compactMap { member in read(member).map { (member.name, $0) } }
                return pairs.count == members.count ? Dictionary(pairs) { first, _ in first } : nil
            },
            write: { parameters in
                let pairs = parameters.sorted { $0.key < $1.key }.map { "\($0.key): \(write($0.value))" }
                return "{\(pairs.joined(separator: ", "))}"
            })
    }
}

extension Entry {
    /// Reads a scope (RFC 6749 §3.3): printable ASCII except the space, `"` and `\`.
    func scope() -> String? {
        guard let text = text() else { return nil }
        let isScope = text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
        guard isScope else { return refusing("is not a scope: write each scope separately, as in [openid, email]") }
        if text.utf8.contains(UInt8(ascii: ",")) {
            warn(
                "contains a comma: write each scope separately. If the provider expects commas between them, write scope_separator: "
                    + "comma, which only sections with protocol: oauth2 have")
        }
        return text
    }

    /// Reads the value of a parameter: a text, or a reference as for a client id.
    fileprivate func parameterValue() -> String? {
        guard let text = text() else { return nil }
        let isReference = ["env:", "file:", CloudSecretName.prefix].contains(where: text.lowercased().hasPrefix)
        return isReference ? follow(text, isSecret: false)?.secretText : text
    }

    /// Reads the name of a parameter of the authorization request that an application may choose.
    ///
    /// Parameters that control the flow itself are refused.
    func parameterName() -> String? {
        guard let text = text() else { return nil }
        return isParameterName(text) ? text : nil
    }

    /// Reports a problem and returns `false` unless a text can be the name of a parameter that does not control the flow.
    fileprivate func isParameterName(_ text: String) -> Bool {
        guard hasParameterCharacters(text) else { return false }
        let name = text.lowercased()
        guard !Self.reservedParameters.contains(name), !name.hasPrefix("oauth_") else {
            refuse(
                name == "scope"
                    ? "is reserved: if this section has the keys, write scopes, and allowed_scopes for what an application may "
                        + "choose; otherwise leave it out"
                    : "is reserved, so that neither an application nor the configuration can choose it: leave it out")
            return false
        }
        return true
    }

    fileprivate func hasParameterCharacters(_ text: String) -> Bool {
        guard !text.consists(of: .lettersAndDigits, or: "-._") else { return true }
        refuse("is not the name of a parameter: use letters, digits, hyphens, dots and underscores")
        return false
    }

    private static let reservedParameters: Set<String> = [
        "claims", "client_id", "client_secret", "code_challenge", "code_challenge_method", "id_token_hint", "nonce",
        "redirect_uri", "request", "request_uri", "response_mode", "response_type", "scope", "state",
    ]
}
