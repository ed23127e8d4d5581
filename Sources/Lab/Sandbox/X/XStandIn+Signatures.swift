import OpenSSL

extension XStandIn {
    /// The token whose secret is part of the signing key, with the consumer's secret.
    enum Signer {
        case consumerOnly
        case requestToken(XRequestToken)
        case user(XOAuth1Token)

        var secret: String {
            switch self {
            case .consumerOnly: ""
            case .requestToken(let token): token.secret
            case .user(let token): token.secret
            }
        }

        var consumerKey: String? {
            switch self {
            case .consumerOnly: nil
            case .requestToken(let token): token.consumerKey
            case .user(let token): token.consumerKey
            }
        }
    }

    /// Verifies a signed request in X's order: consumer, time, token, signature, nonce (RFC 5849 §3.2).
    ///
    /// `find` returns the signer for a token, or `nil` if there is none. The errors are: 32 for a wrong signature, an
    /// unknown consumer or a used nonce; 135 for a timestamp that is off by more than five minutes; 89 for a token that
    /// is unknown, invalidated or another consumer's.
    func verified(
        _ request: IncomingRequest, at endpoint: Endpoint, signer find: (String?) -> Signer?
    ) throws(Refusal) -> (oauth: OAuth1Request, consumer: XRegistration, signer: Signer) {
        let oauth = try OAuth1Request(request)
        guard
            let consumer = applications.values.first(where: {
                $0.consumerKey.utf8.elementsEqual(oauth.consumerKey.utf8)
            })
        else { throw Self.couldNotAuthenticate }
        let now = clock.now
        guard abs(now - oauth.timestamp) <= Self.window else {
            throw Self.error(401, code: 135, "Timestamp out of bounds.")
        }
        guard let signer = find(oauth.token), signer.consumerKey ?? consumer.consumerKey == consumer.consumerKey else {
            throw Self.error(401, code: 89, "Invalid or expired token.")
        }
        // The signature covers the host. This uses our own origin, not the host that the request names.
        let baseString = OAuth1Signature.baseString(
            method: request.method, baseURL: origin + endpoint.path,
            parameters: oauth.parameters.pairs.map { (name: $0.name, value: $0.value) })
        let expected = OAuth1Signature.signature(
            of: baseString, clientSecret: consumer.consumerSecret, tokenSecret: signer.secret)
        guard constantTimeEqual(Array(expected.utf8), Array(oauth.signature.utf8)) else {
            throw Self.couldNotAuthenticate
        }
        if nonces.count > 10_000 { nonces = nonces.filter { abs(now - $0.value) <= Self.window } }
        let use = [oauth.consumerKey, oauth.token ?? "", String(oauth.timestamp), oauth.nonce]
        guard nonces.updateValue(oauth.timestamp, forKey: use) == nil else { throw Self.couldNotAuthenticate }
        return (oauth, consumer, signer)
    }

    /// The user of the access token in a signed request.
    func verifiedUser(
        _ request: IncomingRequest, at endpoint: Endpoint
    ) throws(Refusal) -> (oauth: OAuth1Request, user: SandboxUser) {
        let tokens = oauth1Tokens
        let (oauth, _, signer) = try verified(request, at: endpoint) { name in
            name.flatMap { tokens[exactly: $0] }.map { .user($0) }
        }
        guard case .user(let token) = signer else { throw Self.couldNotAuthenticate }
        return (oauth, token.user)
    }

    static var couldNotAuthenticate: Refusal { error(401, code: 32, "Could not authenticate you.") }

    /// The accepted deviation of a timestamp in seconds.
    private static var window: Int64 { 300 }
}
