package import Standards

/// Yahoo, as the test deployment knows it.
package enum Yahoo {
    package static let id = ProviderID("yahoo.com")
    package static let clientID = "dj0yJmk9dGVzdA--"
    package static let phoneClientID = "dj0yJmk9cGhvbmU-"
    package static let clientSecret = "yahoo-client-secret"
    package static let issuer = "https://api.login.yahoo.com"
    package static let authorization = issuer + "/oauth2/request_auth"
    package static let token = issuer + "/oauth2/get_token"
    package static let userInfo = issuer + "/openid/v1/userinfo"
    package static let keys = issuer + "/openid/v1/certs"
    package static let subject = "UQIDWJNWVNQD4GXZ5NGMZUSTQ4"
    package static let accessToken = "yahoo-access-token"
}
