internal import Jansson
package import Standards

/// X, whose provider id at Firebase is still `twitter.com`, as its documentation described it in 2026.
///
/// X does not support OpenID Connect: it has no ID tokens, no discovery and no introspection. A person has the same
/// numeric id with both protocols. The id is sent as text, because it exceeds 2^53.
///
/// - SeeAlso: <https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code>,
///   <https://docs.x.com/fundamentals/authentication/oauth-1-0a/obtaining-user-access-tokens>
package struct TwitterTemplate: Sendable {
    package static let name = "X"
    package static let console = "https://developer.x.com/en/portal/dashboard"
    package static let api = "https://api.x.com"
    package static let authorizationEndpoint = "https://x.com/i/oauth2/authorize"
    /// `/2/users/me` responds with 403 if one of them is missing.
    package static let requiredScopes: Set = ["tweet.read", "users.read"]
    package static let authenticationEndpoint = "https://api.x.com/oauth/authenticate"
    package static let allowedParameters: Set<String> = ["lang", "force_login", "screen_name"]
    package static let scopes = ["tweet.read", "users.read", "users.email"]

    /// The origin of the API.
    ///
    /// It is part of every OAuth 1.0a signature.
    package let api: String

    package init(api: String = Self.api) {
        self.api = api
    }

    package func oauth1(
        client: ClientCredentials, requestsEmail: Bool, authenticationEndpoint: String = Self.authenticationEndpoint
    ) -> OAuth1 {
        OAuth1(
            client: client,
            temporaryCredentialsEndpoint: api + "/oauth/request_token",
            // A sign-in needs read access only, even if the registration has more permissions.
            temporaryCredentialsParameters: ["x_auth_access_type": "read"],
            authorizationEndpoint: authenticationEndpoint,
            // X asks for the password, but does not send the time of the login.
            freshLogin: FreshLogin(parameters: ["force_login": "true"], evidence: .prompt),
            tokenEndpoint: api + "/oauth/access_token",
            credentialsCheck: verifyCredentials(requestsEmail: requestsEmail),
            fallback: usersMe(withEmail: false),
            errorCodes: Self.errorCodes)
    }

    package func oauth2(
        clientID: String, clientAuthentication: ClientAuthentication, scopes: [String],
        authorizationEndpoint: String = Self.authorizationEndpoint
    ) -> OAuth2 {
        var oauth2 = OAuth2(user: usersMe(withEmail: scopes.contains("users.email")))
        oauth2.clientID = clientID
        oauth2.clientAuthentication = clientAuthentication
        oauth2.scopes = scopes
        oauth2.requiredScopes = Self.requiredScopes
        // X documents no parameter for a fresh login: a session at X may respond without one.
        oauth2.authorizationEndpoint = authorizationEndpoint
        oauth2.tokenEndpoint = api + "/2/oauth2/token"
        oauth2.revocationEndpoint = api + "/2/oauth2/revoke"
        oauth2.errorCodes = Self.errorCodes
        return oauth2
    }

    /// The codes of X for a refused registration and for a suspended or locked account, and its problem types.
    ///
    /// The codes 32 and 89 are missing, because they may also concern the token.
    package static let errorCodes = ErrorCodes(
        refusals: [
            87: .accessTier, 99: .credentials, 135: .clock, 415: .callbackNotApproved, 416: .suspended,
            417: .callbackNotApproved,
            453: .accessTier,
        ],
        disabledAccounts: [50, 63, 64, 326],
        problems: [
            "client-not-enrolled": .enrolment, "user-not-enrolled": .enrolment, "client-forbidden": .accessTier,
            "usage-capped": .credit,
        ],
        accountProblems: ["user-suspended"],
        // Registrations without a callback URL, and those with another one, of which some answers in XML have no code.
        sentences: [
            "only support the oauth_callback value": .callbackNotApproved,
            "callback url not approved": .callbackNotApproved, "not a valid callback url": .callbackNotApproved,
        ],
        // X refuses a wrong code or refresh token with invalid_request.
        grantErrors: ["invalid_grant", "invalid_request"])

    private func verifyCredentials(requestsEmail: Bool) -> UserEndpoint {
        let query = ["include_entities": "false", "skip_status": "true"]
        return UserEndpoint(
            url: api + "/1.1/account/verify_credentials.json",
            query: requestsEmail ? query.merging(["include_email": "true"]) { $1 } : query,
            queryWithoutEmail: nil,
            mapping: Self.mapping(
                subject: "/id_str", name: "/name", email: requestsEmail ? "/email" : nil,
                picture: "/profile_image_url_https", screenName: "/screen_name"),
            isPaid: true)
    }

    private func usersMe(withEmail: Bool) -> UserEndpoint {
        let fields = "id,name,username,profile_image_url"
        return UserEndpoint(
            url: api + "/2/users/me",
            query: ["user.fields": withEmail ? fields + ",confirmed_email" : fields],
            queryWithoutEmail: withEmail ? ["user.fields": fields] : nil,
            mapping: Self.mapping(
                person: "/data", subject: "/data/id", name: "/data/name",
                email: withEmail ? "/data/confirmed_email" : nil, picture: "/data/profile_image_url",
                screenName: "/data/username"),
            isPaid: true)
    }

    private static func mapping(
        person: JSONPointer = "", subject: JSONPointer, name: JSONPointer, email: JSONPointer?, picture: JSONPointer,
        screenName: JSONPointer
    ) -> ProfileMapping {
        var mapping = ProfileMapping(subject: subject, form: .decimalText)
        mapping.person = person
        mapping.name = name
        mapping.email = email
        mapping.picture = picture
        mapping.screenName = screenName
        return mapping
    }
}
