/// The OpenID Providers, by their documentation of 2026.
extension DocumentedProvider {
    static let google = {
        var google = DocumentedProvider(
            id: "google.com", title: "Google",
            paths: [
                .providersAuthorize: "/o/oauth2/v2/auth", .providersToken: "/token",
                .providersUser: "/v1/userinfo", .providersKeys: "/oauth2/v3/certs", .providersRevoke: "/revoke",
            ],
            tokens: #"""
                {"access_token":"$access_token","expires_in":3599,"scope":"$scope","token_type":"Bearer",
                "id_token":"$id_token"}
                """#)
        google.issuer = Issuer(
            hasFixedEndpoints: true,
            claims: #"""
                {"azp":"$client_id","sub":"$digits","email":"$email","email_verified":"$email_verified","name":"$name",
                "given_name":"$given_name","family_name":"$family_name","picture":"$picture","at_hash":"$at_hash"}
                """#)
        google.clientAuthentication = .basic
        google.scopes = ["openid", "profile", "email"]
        google.emailScope = "email"
        google.user = #"""
            {"sub":"$digits","name":"$name","given_name":"$given_name","family_name":"$family_name",
            "picture":"$picture","email":"$email","email_verified":"$email_verified"}
            """#
        return google
    }()

    /// Apple writes `email_verified` as a text, demands a form, and sends the name once.
    static let apple = {
        var apple = DocumentedProvider(
            id: "apple.com", title: "Apple",
            paths: [
                .providersAuthorize: "/auth/authorize", .providersToken: "/auth/token", .providersKeys: "/auth/keys",
                .providersRevoke: "/auth/revoke",
            ],
            tokens: #"""
                {"access_token":"$access_token","token_type":"Bearer","expires_in":3600,
                "refresh_token":"$refresh_token","id_token":"$id_token"}
                """#)
        apple.issuer = Issuer(
            hasFixedEndpoints: true,
            claims: #"""
                {"sub":"001667.{letters}.0433","nonce_supported":true,"email":"$email",
                "email_verified":"$email_verified_text","at_hash":"$at_hash","auth_time":"$now"}
                """#)
        apple.clientAuthentication = .signed
        apple.scopes = ["openid", "email", "name"]
        apple.emailScope = "email"
        apple.needsFormPost = true
        apple.firstSignIn =
            #"{"name":{"firstName":"$given_name","lastName":"$family_name"},"email":"$email"}"#
        apple.denial = [("error", "user_cancelled_authorize")]
        return apple
    }()

    /// Microsoft announces an issuer with `{tenantid}`, and a user endpoint at another host.
    static let microsoft = {
        let tenant = "11111111-2222-3333-4444-555555555555"
        var microsoft = DocumentedProvider(
            id: "microsoft.com", title: "Microsoft",
            paths: [
                .providersAuthorize: "/common/oauth2/v2.0/authorize", .providersToken: "/common/oauth2/v2.0/token",
                .providersKeys: "/common/discovery/v2.0/keys", .providersUser: "/oidc/userinfo",
            ],
            tokens: #"""
                {"token_type":"Bearer","scope":"$scope","expires_in":3599,"ext_expires_in":3599,
                "access_token":"$access_token","id_token":"$id_token"}
                """#)
        microsoft.issuer = Issuer(
            path: "/common/v2.0", announced: "/{tenantid}/v2.0", ofTokens: "/\(tenant)/v2.0",
            hasForeignUserEndpoint: true,
            claims: AnswerTemplate(
                stringLiteral: #"""
                    {"sub":"{letters}-pairwise","tid":"\#(tenant)","oid":"00000000-0000-0000-0000-{twelve_digits}",
                    "preferred_username":"{screen_name}@contoso.example","name":"$name","email":"$email","ver":"2.0"}
                    """#))
        microsoft.scopes = ["openid", "profile", "email", "offline_access"]
        microsoft.emailScope = "email"
        microsoft.wrongCode = ErrorAnswer(
            400,
            #"""
            {"error":"invalid_grant","error_description":"AADSTS70008: The code is not valid.","error_codes":[70008],
            "trace_id":"{key}"}
            """#)
        microsoft.user = #"{"sub":"{letters}-pairwise"}"#
        microsoft.settings = ["tenants: any"]
        return microsoft
    }()

    /// Kakao's ID tokens have neither `name` nor `email_verified`.
    static let kakao = {
        var kakao = DocumentedProvider(
            id: "kakao", title: "Kakao",
            paths: [
                .providersAuthorize: "/oauth/authorize", .providersToken: "/oauth/token",
                .providersUser: "/v1/oidc/userinfo", .providersKeys: "/.well-known/jwks.json",
            ],
            tokens: #"""
                {"access_token":"$access_token","token_type":"bearer","refresh_token":"$refresh_token",
                "id_token":"$id_token","expires_in":21599,"scope":"$scope","refresh_token_expires_in":5183999}
                """#)
        kakao.issuer = Issuer(
            hasFixedEndpoints: true,
            claims: #"""
                {"sub":"$digits","auth_time":"$now","nickname":"$name","picture":"$picture","email":"$email"}
                """#)
        kakao.scopes = ["openid", "profile_nickname", "profile_image", "account_email"]
        kakao.emailScope = "account_email"
        kakao.wrongCode = ErrorAnswer(
            400,
            #"{"error":"invalid_grant","error_description":"authorization code not found","error_code":"KOE320"}"#)
        kakao.wrongClient = ErrorAnswer(
            401, #"{"error":"invalid_client","error_description":"Bad client credentials","error_code":"KOE010"}"#)
        kakao.user = #"""
            {"sub":"$digits","name":null,"nickname":"$name","picture":"$picture","email":"$email","gender":null,
            "email_verified":"$email_verified"}
            """#
        return kakao
    }()

    /// Slack answers everything with status 200, and fails if a confidential client uses PKCE.
    static let slack = {
        var slack = DocumentedProvider(
            id: "slack", title: "Slack",
            paths: [
                .providersAuthorize: "/openid/connect/authorize", .providersToken: "/api/openid.connect.token",
                .providersUser: "/api/openid.connect.userInfo", .providersKeys: "/openid/connect/keys",
            ],
            tokens: #"{"ok":true,"access_token":"$access_token","token_type":"Bearer","id_token":"$id_token"}"#)
        slack.issuer = Issuer(
            claims: #"""
                {"sub":"U{digits}","auth_time":"$now","at_hash":"$at_hash","https://slack.com/team_id":"T0R7GR",
                "https://slack.com/user_id":"U{digits}","email":"$email","email_verified":"$email_verified",
                "name":"$name","picture":"$picture"}
                """#)
        slack.pkce = .refused(ErrorAnswer(200, #"{"ok":false,"error":"internal_error"}"#))
        slack.scopes = ["openid", "profile", "email"]
        slack.emailScope = "email"
        slack.wrongCode = ErrorAnswer(200, #"{"ok":false,"error":"invalid_code"}"#)
        slack.wrongClient = ErrorAnswer(200, #"{"ok":false,"error":"bad_client_secret"}"#)
        slack.wrongToken = ErrorAnswer(200, #"{"ok":false,"error":"invalid_auth"}"#)
        slack.user = #"""
            {"ok":true,"sub":"U{digits}","https://slack.com/user_id":"U{digits}","https://slack.com/team_id":"T0R7GR",
            "https://slack.com/team_image_default":true,"email":"$email","email_verified":"$email_verified",
            "date_email_verified":1622128723,"name":"$name","given_name":"$given_name","family_name":"$family_name",
            "picture":"$picture","locale":"$locale"}
            """#
        return slack
    }()

    /// Twitch writes scopes as a list, has errors without `error`, and sends an address only if `claims` asks for it.
    static let twitch = {
        var twitch = DocumentedProvider(
            id: "twitch", title: "Twitch",
            paths: [
                .providersAuthorize: "/oauth2/authorize", .providersToken: "/oauth2/token",
                .providersUser: "/oauth2/userinfo", .providersKeys: "/oauth2/keys",
                .providersIntrospect: "/oauth2/validate",
            ],
            tokens: #"""
                {"access_token":"$access_token","expires_in":14124,"id_token":"$id_token",
                "refresh_token":"$refresh_token","scope":"$scopes","token_type":"bearer","nonce":"$nonce"}
                """#)
        twitch.issuer = Issuer(
            path: "/oauth2",
            claims: #"""
                {"azp":"$client_id","sub":"$digits","email":"$email","email_verified":"$email_verified",
                "picture":"$picture","preferred_username":"$screen_name"}
                """#)
        twitch.pkce = .ignored
        twitch.scopes = ["openid", "user:read:email"]
        twitch.emailScope = "user:read:email"
        twitch.emailNeedsClaims = true
        twitch.wrongCode = ErrorAnswer(400, #"{"status":400,"message":"Invalid authorization code"}"#)
        twitch.wrongClient = ErrorAnswer(403, #"{"status":403,"message":"invalid client secret"}"#)
        twitch.wrongToken = ErrorAnswer(401, #"{"status":401,"message":"invalid access token"}"#)
        twitch.user = #"""
            {"aud":"$client_id","iss":"$issuer","iat":"$now","exp":"$expiry","sub":"$digits","email":"$email",
            "email_verified":"$email_verified","picture":"$picture","preferred_username":"$screen_name"}
            """#
        twitch.introspection = Introspection(
            place: .authorization("OAuth"), authentication: .none,
            answer: #"""
                {"client_id":"$client_id","login":"$screen_name","scopes":"$scopes","user_id":"$digits",
                "expires_in":5520838}
                """#,
            unknown: ErrorAnswer(401, #"{"status":401,"message":"invalid access token"}"#))
        twitch.settings = ["accept: [authorization_code, id_token, access_token]"]
        return twitch
    }()
}
