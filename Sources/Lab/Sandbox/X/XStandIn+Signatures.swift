import OpenSSL

extension XStandIn {
    /// Whose secret signed along with the consumer's.
    enum Signer {
        case nobody
        case requestToken(XRequestToken)
        case user(XOAuth1Token)

        var secret: String {
            switch self {
            case .nobody: ""
            case .requestToken(let token): token.secret
            case .user(let token): token.secret
            }
        }

        var consumerKey: String? {
            switch self {
            case .nobody: nil
            case .requestToken(let token): token.consumerKey
            case .user(let token): token.consumerKey
            }
        }
    }

    /// Checks a signed request in X's order: consumer, time, token, signature, nonce (RFC 5849 §3.2).
    ///
    /// `find` gives the signer for a token's name, nil where there is none. Code 32 refuses a wrong signature, an
    /// unknown consumer and a used nonce, 135 a clock that is five minutes off, 89 a token that is unknown, invalidated
    /// or another consumer's.
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
        // The host is part of what is signed, so it is ours, not the one that the request names.
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

    /// The owner of the access token that a signed request carries.
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

    /// Seconds that a timestamp may be off.
    private static var window: Int64 { 300 }
}
