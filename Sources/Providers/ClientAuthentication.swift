package import JOSE
internal import Jansson
package import Standards
package import Transport

/// The method by which this server authenticates at the token endpoint (OpenID Connect Core §9).
package enum ClientAuthentication: Sendable {
    case clientSecretBasic(Secret)
    case clientSecretPost(Secret)
    /// A JWT that this server signs for each request, so that none expires.
    case signedJWT(ClientJWT)
    case none

    /// What a provider that answers `invalid_client` refuses.
    ///
    /// - Parameter methods: `token_endpoint_auth_methods_supported` of the provider; `nil` if it is unknown.
    fileprivate func refusal(naming methods: [String]?) -> ClientRefusal {
        let known = Set((methods ?? []).compactMap(TokenEndpointAuthentication.init(rawValue:)))
        let (used, refusal): (TokenEndpointAuthentication, ClientRefusal)
        switch self {
        case .clientSecretBasic(let secret) where ClientJWT.isOfApple(secret),
            .clientSecretPost(let secret) where ClientJWT.isOfApple(secret):
            return .appleSecret
        case .clientSecretBasic: (used, refusal) = (.clientSecretBasic, .credentials)
        case .clientSecretPost: (used, refusal) = (.clientSecretPost, .credentials)
        case .signedJWT(let jwt) where jwt.refusal == .assertion: (used, refusal) = (.privateKeyJWT, .assertion)
        // Apple's secret is a JWT, and a public client has nothing to send by another method.
        case .signedJWT(let jwt): return jwt.refusal
        case .none: return .noSecret
        }
        guard let methods, !methods.isEmpty, !known.contains(used) else { return refusal }
        if known.contains(.clientSecretPost) { return .needsPost }
        if known.contains(.clientSecretBasic) { return .needsBasic }
        if known.contains(.privateKeyJWT) { return .needsAssertion }
        return known.isEmpty ? .unknownMethod : refusal
    }
}

/// The methods of ``ClientAuthentication`` by their registered names.
package enum TokenEndpointAuthentication: String, Sendable, CaseIterable {
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    /// A JWT that this server signs (RFC 7523).
    case privateKeyJWT = "private_key_jwt"
    /// A public client, which has no secret.
    case none
}

extension ClientAuthentication {
    /// The client secret; an empty text if there is none.
    package var secretText: String {
        switch self {
        case .clientSecretBasic(let secret), .clientSecretPost(let secret): secret.secretText
        case .signedJWT, .none: ""
        }
    }
}

extension ClientAuthentication: Equatable {
    /// Compares secrets in a time that depends only on their lengths.
    package static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.clientSecretBasic(let ours), .clientSecretBasic(let theirs)),
            (.clientSecretPost(let ours), .clientSecretPost(let theirs)):
            ours.matches(theirs)
        case (.signedJWT(let ours), .signedJWT(let theirs)): ours == theirs
        case (.none, .none): true
        case (.clientSecretBasic, _), (.clientSecretPost, _), (.signedJWT, _), (.none, _): false
        }
    }
}

/// The JWT by which a client authenticates (RFC 7523 §3), except for what differs in each request.
package struct ClientJWT: Sendable, Equatable {
    /// The parameter of the form in which the JWT is sent.
    private enum Parameter: Sendable {
        /// `client_assertion` with its type (RFC 7523 §2.2).
        case assertion
        /// `client_secret`.
        case secret
    }

    private let signer: JWSSigner
    private let keyID: String?
    private let parameter: Parameter
    /// The `iss`; `nil` for the client id.
    private let issuer: String?
    /// The `aud`; `nil` for the URL of the token endpoint.
    private let audience: String?
    private let lifetime: Duration
    /// What a provider that answers `invalid_client` refuses.
    fileprivate let refusal: ClientRefusal

    /// Makes the assertions of `private_key_jwt` (OpenID Connect Core §9).
    ///
    /// They are valid for a minute, the time for which Keycloak accepts one after its `iat` by default.
    ///
    /// - Parameters:
    ///   - signer: The private key, whose public key the provider has.
    ///   - keyID: The `kid`; `nil` if the provider has only one key of this client.
    ///   - audience: The `aud`; `nil` for the URL of the token endpoint.
    package static func assertion(_ signer: JWSSigner, keyID: String?, audience: String?) -> Self {
        Self(
            signer: signer, keyID: keyID, parameter: .assertion, issuer: nil, audience: audience,
            lifetime: .seconds(60), refusal: .assertion)
    }

    /// Makes the client secrets of Sign in with Apple.
    ///
    /// - Parameters:
    ///   - signer: The private key, which is on P-256.
    ///   - teamID: The id of the team, which is the `iss`.
    /// - SeeAlso: Apple, Sign in with Apple REST API, Creating a client secret.
    package static func apple(_ signer: JWSSigner, keyID: String, teamID: String) -> Self {
        Self(
            signer: signer, keyID: keyID, parameter: .secret, issuer: teamID, audience: appleAudience,
            lifetime: .seconds(300), refusal: .appleSecret)
    }

    /// The `aud` of Apple's client secrets.
    private static let appleAudience = "https://appleid.apple.com"

    /// Whether a client secret is a JWT for Apple, which an operator has made elsewhere.
    package static func isOfApple(_ secret: Secret) -> Bool {
        guard let jws = try? CompactJWS.parse(secret.secretText), let claims = try? UnverifiedClaims(of: jws) else {
            return false
        }
        return claims.names(audience: appleAudience)
    }

    /// Signs the JWT for one request.
    fileprivate func form(
        of client: ProviderClient, at now: NumericDate, _ random: RandomSource
    ) throws(Refusal) -> [(name: String, value: String)] {
        var claims: [String: JSON] = [
            "iss": .string(issuer ?? client.id), "sub": .string(client.id),
            "aud": .string(audience ?? client.tokenEndpoint), "iat": .integer(now.seconds),
            "exp": .integer((now + lifetime).seconds),
        ]
        do {
            switch parameter {
            case .assertion:
                // OpenID Connect Core §9: `jti` is required, so that the provider accepts each assertion once.
                claims["jti"] = .string(try random.unguessableText())
                return [
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", try signer.jwt(.object(claims), keyID: keyID)),
                ]
            case .secret: return [("client_secret", try signer.jwt(.object(claims), keyID: keyID))]
            }
        } catch {
            throw Refusal(error).unspent
        }
    }
}

/// This server's client at a provider, as which it calls the endpoints that authenticate a client.
package struct ProviderClient: Sendable {
    package let id: String
    package let authentication: ClientAuthentication
    package let tokenEndpoint: String
    /// `token_endpoint_auth_methods_supported` of the provider; `nil` if it is unknown.
    private let authenticationMethods: [String]?
    private let parameters: [String: String]

    /// What a provider that answers `invalid_client` refuses.
    package var refusal: ClientRefusal { authentication.refusal(naming: authenticationMethods) }

    package init(
        id: String, authentication: ClientAuthentication, tokenEndpoint: String,
        authenticationMethods: [String]? = nil, parameters: [String: String] = [:]
    ) {
        self.authenticationMethods = authenticationMethods
        self.parameters = parameters
        self.id = id
        self.authentication = authentication
        self.tokenEndpoint = tokenEndpoint
    }

    /// Makes a POST of a form with client authentication (RFC 6749 §2.3.1, RFC 7523 §2.2).
    ///
    /// The audience of an assertion is the URL of the token endpoint, also at the endpoints of RFC 7009 and RFC 7662: it names
    /// the authorization server (RFC 7523 §3), and each of these endpoints authenticates a client as the token endpoint does.
    /// It is one text and never a list, and ``ProviderMetadata`` ignores a token endpoint on another host than the issuer's:
    /// a provider on another host cannot have an assertion made that this one accepts.
    ///
    /// - Parameters:
    ///   - endpoint: The URL; `nil` for the token endpoint.
    ///   - form: The parameters besides the authentication.
    ///   - time: The clock, from which an assertion takes its times.
    ///   - random: Makes the `jti` of an assertion.
    /// - Throws: `Refusal`, with which everything stays unspent, if a JWT cannot be signed.
    package func post(
        to endpoint: String? = nil, form: [(name: String, value: String)], timeout: Duration, time: TimeSource,
        random: RandomSource
    ) throws(Refusal) -> OutboundRequest {
        var form = form + parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        var header = [
            HeaderField("Content-Type", "application/x-www-form-urlencoded"),
            HeaderField("Accept", "application/json"),
        ]
        switch authentication {
        case .clientSecretBasic(let secret):
            header.append(HeaderField("Authorization", BasicAuthorization.field(clientID: id, clientSecret: secret)))
        case .clientSecretPost(let secret):
            form += [("client_id", id), ("client_secret", secret.secretText)]
        case .signedJWT(let jwt):
            // RFC 7521 §4.2: `client_id` is optional beside an assertion, and some providers need it.
            form.append(("client_id", id))
            form += try jwt.form(of: self, at: time.now(), random)
        case .none:
            form.append(("client_id", id))
        }
        return OutboundRequest(
            .post, endpoint ?? tokenEndpoint, header: header, body: Array(Parameters(form).encoded.utf8),
            timeout: timeout)
    }
}

extension ProviderClient {
    /// The field `Authorization` of RFC 7617 with the client secret, whatever the method at the token endpoint is.
    package var basicField: HeaderField {
        HeaderField(
            "Authorization",
            BasicAuthorization.field(clientID: id, clientSecret: Secret(authentication.secretText)))
    }
}

extension OpenIDConnect {
    /// Returns this server's client at the endpoints of the provider.
    ///
    /// If the configuration names no method, and the metadata only the other one for a client secret, that one is used: the
    /// secret is sent to the same endpoint in both.
    package func client(at endpoints: OpenIDConnectEndpoints) -> ProviderClient {
        let authentication =
            if choosesAuthentication, case .clientSecretBasic(let secret) = clientAuthentication,
                let named = endpoints.authenticationMethods, !named.contains("client_secret_basic"),
                named.contains("client_secret_post")
            { ClientAuthentication.clientSecretPost(secret) } else { clientAuthentication }
        return ProviderClient(
            id: clientID, authentication: authentication, tokenEndpoint: endpoints.token,
            authenticationMethods: endpoints.authenticationMethods)
    }
}

extension OAuth2 {
    /// This server's client at the provider.
    package var client: ProviderClient {
        ProviderClient(
            id: clientID, authentication: clientAuthentication, tokenEndpoint: tokenEndpoint,
            parameters: tokenParameters)
    }
}
