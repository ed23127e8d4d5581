/// The providers with OAuth 2.0, by their documentation of 2026.
extension DocumentedProvider {
    private static let acceptsAccessTokens = "accept: [authorization_code, access_token]"

    /// GitHub answers errors with status 200, and with a form unless the request accepts JSON.
    static let github = {
        var github = DocumentedProvider(
            id: "github.com", title: "GitHub",
            paths: [
                .providersAuthorize: "/login/oauth/authorize", .providersToken: "/login/oauth/access_token",
                .providersUser: "/user", .providersEmails: "/user/emails",
                .providersIntrospect: "/applications/{client_id}/token",
            ],
            tokens: #"{"access_token":"$access_token","scope":"$scope_commas","token_type":"bearer"}"#)
        github.scopes = ["user:email", "read:user"]
        github.emailScope = "user:email"
        github.denial = [
            ("error", "access_denied"), ("error_description", "The user has denied your application access."),
        ]
        github.answersWithForm = true
        github.wrongCode = ErrorAnswer(
            200,
            #"{"error":"bad_verification_code","error_description":"The code passed is incorrect or expired."}"#)
        github.wrongClient = ErrorAnswer(
            200,
            #"""
            {"error":"incorrect_client_credentials","error_description":"The client_id and/or client_secret passed are incorrect."}
            """#)
        github.wrongToken = ErrorAnswer(401, #"{"message":"Bad credentials","status":"401"}"#)
        // The address of the public profile, which is not the primary one.
        github.user = #"""
            {"login":"$screen_name","id":"$number","avatar_url":"$picture","name":"$name",
            "email":"{key}.public@example.com"}
            """#
        github.emails = #"""
            [{"email":"{key}.other@example.com","primary":false,"verified":true,"visibility":null},
            {"email":"$email","primary":true,"verified":"$email_verified","visibility":"private"}]
            """#
        github.introspection = Introspection(
            place: .json("access_token"), authentication: .basic,
            answer: #"""
                {"id":1,"scopes":"$scopes","app":{"client_id":"$client_id"},
                "user":{"login":"$screen_name","id":"$number"},"expires_at":null}
                """#,
            unknown: ErrorAnswer(404, #"{"message":"Not Found"}"#), hidesOthers: true)
        github.settings = [acceptsAccessTokens]
        return github
    }()

    /// Facebook has errors of its own form, and answers without `expires_in` and `scope`.
    ///
    /// Whether Facebook compares the code verifier is not documented.
    static let facebook = {
        var facebook = DocumentedProvider(
            id: "facebook.com", title: "Facebook",
            paths: [
                .providersAuthorize: "/v25.0/dialog/oauth", .providersToken: "/v25.0/oauth/access_token",
                .providersUser: "/v25.0/me", .providersIntrospect: "/v25.0/debug_token",
            ],
            tokens: #"{"access_token":"$access_token","token_type":"bearer"}"#)
        facebook.pkce = .ignored
        facebook.scopes = ["public_profile", "email"]
        facebook.emailScope = "email"
        facebook.denial = [
            ("error", "access_denied"), ("error_code", "200"), ("error_reason", "user_denied"),
            ("error_description", "Permissions error"),
        ]
        facebook.wrongCode = ErrorAnswer(
            400,
            #"{"error":{"message":"This authorization code has been used.","type":"OAuthException","code":100}}"#)
        facebook.wrongClient = ErrorAnswer(
            400, #"{"error":{"message":"Error validating client secret.","type":"OAuthException","code":1}}"#)
        facebook.wrongToken = ErrorAnswer(
            400, #"{"error":{"message":"Invalid OAuth access token.","type":"OAuthException","code":190}}"#)
        facebook.user = #"""
            {"id":"10{digits}","name":"$name","first_name":"$given_name","last_name":"$family_name","email":"$email",
            "picture":{"data":{"height":256,"width":256,"is_silhouette":false,"url":"$picture"}}}
            """#
        facebook.userQuery = ["fields": "id,name,first_name,last_name,email,picture.width(256).height(256)"]
        facebook.introspection = Introspection(
            place: .query("input_token"), authentication: .appToken,
            answer: #"""
                {"data":{"app_id":"$client_id","type":"USER","is_valid":true,"expires_at":0,"scopes":"$scopes",
                "user_id":"10{digits}"}}
                """#,
            unknown: ErrorAnswer(200, #"{"data":{"is_valid":false,"error":{"code":190,"message":"Malformed token"}}}"#))
        facebook.settings = [acceptsAccessTokens]
        return facebook
    }()

    /// LINE signs the ID tokens of web applications with the secret of the channel.
    static let line = {
        var line = DocumentedProvider(
            id: "line", title: "LINE",
            paths: [
                .providersAuthorize: "/oauth2/v2.1/authorize", .providersToken: "/oauth2/v2.1/token",
                .providersUser: "/oauth2/v2.1/userinfo", .providersIntrospect: "/oauth2/v2.1/verify",
            ],
            tokens: #"""
                {"access_token":"$access_token","expires_in":2592000,"id_token":"$id_token_of_secret",
                "refresh_token":"$refresh_token","scope":"profile openid","token_type":"Bearer"}
                """#)
        line.scopes = ["openid", "profile"]
        line.user = #"{"sub":"U{letters}","name":"$name","picture":"$picture"}"#
        line.introspection = Introspection(
            place: .query("access_token"), authentication: .none,
            answer: #"{"scope":"profile openid","client_id":"$client_id","expires_in":2591659}"#,
            unknown: ErrorAnswer(
                400, #"{"error":"invalid_request","error_description":"access token expired"}"#))
        line.settings = [acceptsAccessTokens]
        return line
    }()

    /// LinkedIn refuses PKCE, and its ID tokens have no nonce.
    static let linkedin = {
        let refused = ErrorAnswer(
            401, #"{"error":"invalid_client","error_description":"Client authentication failed"}"#)
        var linkedin = DocumentedProvider(
            id: "linkedin", title: "LinkedIn",
            paths: [
                .providersAuthorize: "/oauth/v2/authorization", .providersToken: "/oauth/v2/accessToken",
                .providersUser: "/v2/userinfo", .providersIntrospect: "/oauth/v2/introspectToken",
            ],
            tokens: #"""
                {"access_token":"$access_token","expires_in":5184000,"scope":"$scope_commas","token_type":"Bearer",
                "id_token":"$id_token_without_nonce"}
                """#)
        linkedin.pkce = .refused(refused)
        linkedin.wrongClient = refused
        linkedin.scopes = ["openid", "profile", "email"]
        linkedin.emailScope = "email"
        linkedin.denial = [
            ("error", "user_cancelled_login"), ("error_description", "The user cancelled LinkedIn login"),
        ]
        linkedin.user = #"""
            {"sub":"{letters}","name":"$name","given_name":"$given_name","family_name":"$family_name",
            "picture":"$picture","locale":{"country":"US","language":"en"},"email":"$email",
            "email_verified":"$email_verified"}
            """#
        linkedin.introspection = Introspection(
            place: .form("token"), authentication: .post,
            answer: #"""
                {"active":true,"client_id":"$client_id","authorized_at":"$now","created_at":"$now","status":"active",
                "expires_at":"$expiry","scope":"$scope_commas","auth_type":"3L"}
                """#,
            unknown: ErrorAnswer(200, #"{"active":false}"#), hidesOthers: true)
        linkedin.settings = ["accept: [access_token]"]
        return linkedin
    }()

    /// Discord writes null for what a user has not, and names its issuer in the callback.
    static let discord = {
        var discord = DocumentedProvider(
            id: "discord", title: "Discord",
            paths: [
                .providersAuthorize: "/oauth2/authorize", .providersToken: "/api/v10/oauth2/token",
                .providersRevoke: "/api/v10/oauth2/token/revoke", .providersUser: "/api/v10/users/@me",
                .providersIntrospect: "/api/v10/oauth2/@me",
            ],
            tokens: #"""
                {"token_type":"Bearer","access_token":"$access_token","expires_in":604800,
                "refresh_token":"$refresh_token","scope":"$scope"}
                """#)
        discord.clientAuthentication = .basic
        discord.scopes = ["identify", "email"]
        discord.emailScope = "email"
        discord.namesIssuerInCallback = true
        discord.wrongCode = ErrorAnswer(
            400, #"{"error":"invalid_grant","error_description":"Invalid \"code\" in request."}"#)
        discord.wrongToken = ErrorAnswer(401, #"{"message":"401: Unauthorized","code":0}"#)
        discord.user = #"""
            {"id":"$digits","username":"$screen_name","global_name":"$given_name?","discriminator":"0","avatar":null,
            "banner":null,"locale":"$locale?","mfa_enabled":false,"verified":"$email_verified","email":"$email?"}
            """#
        discord.introspection = Introspection(
            place: .authorization("Bearer"), authentication: .none,
            answer: #"""
                {"application":{"id":"$client_id","name":"My App"},"scopes":"$scopes",
                "expires":"2099-01-23T02:33:17.017000+00:00","user":{"id":"$digits","username":"$screen_name"}}
                """#,
            unknown: ErrorAnswer(401, #"{"message":"401: Unauthorized","code":0}"#))
        discord.settings = [acceptsAccessTokens]
        return discord
    }()

    /// Spotify has one id that can change, and another that cannot.
    static let spotify = {
        var spotify = DocumentedProvider(
            id: "spotify", title: "Spotify",
            paths: [
                .providersAuthorize: "/authorize", .providersToken: "/api/token", .providersUser: "/v1/me",
            ],
            tokens: #"""
                {"access_token":"$access_token","token_type":"Bearer","scope":"$scope","expires_in":3600,
                "refresh_token":"$refresh_token"}
                """#)
        spotify.clientAuthentication = .basic
        spotify.scopes = ["user-read-email"]
        spotify.emailScope = "user-read-email"
        spotify.wrongToken = ErrorAnswer(401, #"{"error":{"status":401,"message":"Invalid access token"}}"#)
        spotify.user = #"""
            {"account_id":"{letters}","id":"$screen_name","display_name":"$name?","email":"$email",
            "images":[{"url":"$picture","height":300,"width":300}],"href":null,"type":"user"}
            """#
        return spotify
    }()

    /// Naver nests the user, writes `expires_in` as a text, and answers a wrong code with status 200.
    static let naver = {
        var naver = DocumentedProvider(
            id: "naver", title: "Naver",
            paths: [
                .providersAuthorize: "/oauth2.0/authorize", .providersToken: "/oauth2.0/token",
                .providersRevoke: "/oauth2.0/revoke", .providersUser: "/v1/nid/me",
            ],
            tokens: #"""
                {"access_token":"$access_token","refresh_token":"$refresh_token","token_type":"bearer",
                "expires_in":"3600"}
                """#)
        naver.pkce = .ignored
        naver.wrongCode = ErrorAnswer(
            200, #"{"error":"invalid_grant","error_description":"no valid data in session"}"#)
        naver.wrongToken = ErrorAnswer(401, #"{"resultcode":"024","message":"Authentication failed"}"#)
        naver.user = #"""
            {"resultcode":"00","message":"success","response":{"id":"{letters}","nickname":"$screen_name",
            "name":"$name","email":"$email","profile_image":"$picture","age":"40-49"}}
            """#
        return naver
    }()

    /// Strava, which has no template, and whose token answer contains the user.
    static let strava = {
        var strava = DocumentedProvider(
            id: "strava", title: "Strava",
            paths: [
                .providersAuthorize: "/oauth/authorize", .providersToken: "/oauth/token",
                .providersUser: "/api/v3/athlete",
            ],
            tokens: #"""
                {"token_type":"Bearer","access_token":"$access_token","expires_at":"$expiry","expires_in":3600,
                "refresh_token":"$refresh_token","scope":"$scope","athlete":{"id":"$number"}}
                """#)
        strava.scopes = ["read"]
        strava.pkce = .ignored
        strava.wrongCode = ErrorAnswer(
            400,
            #"{"message":"Bad Request","errors":[{"resource":"AuthorizationCode","field":"code","code":"invalid"}]}"#)
        strava.user = #"""
            {"id":"$number","username":"$screen_name","firstname":"$given_name?","lastname":"$family_name?",
            "profile":"$picture"}
            """#
        strava.settings = [
            "protocol: oauth2", "name: Strava", "token_endpoint_auth: client_secret_post", "scopes: [read]",
            "scope_separator: comma", "pkce: off",
            "members: {sub: /id, given_name: /firstname, family_name: /lastname, picture: /profile, "
                + "preferred_username: /username}",
        ]
        return strava
    }()

    /// Zoom, which has no template, and needs no scope.
    static let zoom = {
        var zoom = DocumentedProvider(
            id: "zoom", title: "Zoom",
            paths: [
                .providersAuthorize: "/oauth/authorize", .providersToken: "/oauth/token",
                .providersUser: "/v2/users/me",
            ],
            tokens: #"""
                {"access_token":"$access_token","token_type":"bearer","refresh_token":"$refresh_token",
                "expires_in":3599,"scope":"user:read:user","api_url":"https://api.zoom.us"}
                """#)
        zoom.clientAuthentication = .basic
        zoom.wrongCode = ErrorAnswer(
            400, #"{"reason":"Invalid authorization code","error":"invalid_grant"}"#)
        zoom.user = #"""
            {"id":"{letters}","account_id":"A1","display_name":"$name","email":"$email","verified":1,
            "language":"$locale","pic_url":"$picture","status":"active"}
            """#
        zoom.settings = [
            "protocol: oauth2", "name: Zoom", "trust_email: never",
            "members: {sub: /id, name: /display_name, email: /email, picture: /pic_url, locale: /language}",
        ]
        return zoom
    }()
}
