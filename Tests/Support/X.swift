package import Standards

/// X, as the test deployment knows it.
package enum X {
    package static let id = ProviderID("twitter.com")
    package static let consumerKey = "x-consumer-key"
    package static let consumerSecret = "x-consumer-secret"
    package static let clientID = "x-client-id"
    package static let clientSecret = "x-client-secret"
    package static let api = "https://api.x.com"
    package static let requestToken = api + "/oauth/request_token"
    package static let authenticate = api + "/oauth/authenticate"
    package static let accessToken = api + "/oauth/access_token"
    package static let verifyCredentials = api + "/1.1/account/verify_credentials.json"
    package static let authorize = "https://x.com/i/oauth2/authorize"
    package static let token = api + "/2/oauth2/token"
    package static let usersMe = api + "/2/users/me"
    package static let userID = "2244994945"
    package static let oauthToken = "2244994945-token"
    package static let oauthTokenSecret = "token-secret"

    package static let pair = TokenCredentials(
        identifier: Secret(oauthToken), sharedSecret: Secret(oauthTokenSecret))

    package static func person(id: String = userID) -> String {
        """
        {"id": 2244994945, "id_str": "\(id)", "name": "X Dev", "screen_name": "XDevelopers", "email": "dev@example.org",
        "profile_image_url_https": "https://pbs.example/x.png"}
        """
    }

    package static func me(id: String = userID) -> String {
        """
        {"data": {"id": "\(id)", "name": "X Dev", "username": "XDevelopers", "confirmed_email": "dev@example.org",
        "profile_image_url": "https://pbs.example/x.png"}}
        """
    }

    /// The response of the token endpoint of OAuth 2.0.
    package static let tokens = """
        {"token_type": "bearer", "expires_in": 7200, "access_token": "x-access-token",
        "scope": "tweet.read users.read users.email"}
        """

    /// The response of the token endpoint of OAuth 1.0a.
    package static let credentials =
        "oauth_token=\(oauthToken)&oauth_token_secret=\(oauthTokenSecret)&user_id=\(userID)&screen_name=XDevelopers"

    /// Returns the response to the first request of OAuth 1.0a.
    package static func temporary(_ token: String = "request-token") -> String {
        "oauth_token=\(token)&oauth_token_secret=request-secret&oauth_callback_confirmed=true"
    }
}
