import JOSE
import Jansson
import Standards
import Support
import Testing

@testable import Providers

@Suite("Templates")
struct TemplateTests {
    @Test(
        "A template without ID tokens is found by the host of an issuer, which an operator writes in its place",
        arguments: [
            ("https://www.linkedin.com/oauth", "linkedin"), ("https://github.com", "github.com"),
            ("https://www.linkedin.com.evil.example", nil), ("https://accounts.google.com", nil), ("", nil), (nil, nil),
        ])
    func withoutIDTokens(_ issuer: String?, _ id: String?) {
        #expect(ProviderTemplate.withoutOpenIDConnect(atHostOf: issuer)?.text == id)
    }

    @Test("Every template has its endpoints under https, a name and the page of its registration")
    func endpoints() throws {
        #expect(ProviderTemplate.named.count == 14)
        for (id, template) in ProviderTemplate.named {
            #expect(template.name != nil && template.console?.hasPrefix("https://") == true, "\(id)")
            let urls: [String?]
            switch template {
            case .openIDConnect(let it):
                let endpoints = it.endpoints
                urls = [it.issuer, endpoints.authorization, endpoints.token, endpoints.jwks, endpoints.userInfo]
                #expect(!it.algorithms.isEmpty && it.scopes.contains("openid"), "\(id)")
                #expect(it.issuer != nil || endpoints.complete(issuers: endpoints.issuers ?? []) != nil, "\(id)")
            case .oauth2(let it):
                let oauth2 = it.oauth2
                urls = [oauth2.authorizationEndpoint, oauth2.tokenEndpoint, oauth2.user.url, oauth2.emails?.url]
                #expect(oauth2.user.mapping.subject != "", "\(id)")
                // Only PKCE binds a posted code of OAuth 2.0 to its application.
                let accepts: [CredentialType] =
                    oauth2.pkce == .off || id.text == "facebook.com" ? [] : [.authorizationCode]
                #expect(it.acceptedCredentials == accepts, "\(id)")
            }
            for url in urls.compactMap(\.self) {
                #expect(url.hasPrefix("https://") && !url.hasSuffix("/"), "\(id): \(url)")
            }
        }
    }

    @Test("Yahoo's data are those of its discovery document")
    func yahoo() {
        let template = OpenIDConnectRegistration.yahoo
        #expect(
            template.endpoints.complete(issuers: template.endpoints.issuers ?? [])
                == OpenIDConnectEndpoints(
                    issuers: [Yahoo.issuer], authorization: Yahoo.authorization, token: Yahoo.token,
                    userInfo: Yahoo.userInfo, jwks: Yahoo.keys, introspection: nil,
                    revocation: "https://api.login.yahoo.com/oauth2/revoke", sendsIssuer: false))
        #expect(template.algorithms == [.es256, .rs256])
        #expect(template.pkce == .off)
        #expect(template.allowedParameters == ["prompt", "language", "max_age", "login_hint"])
    }

    @Test("No template lets an application set the parameters that bind a flow")
    func reservedParameters() {
        let allowed =
            ProviderTemplate.named.values.flatMap(\.allowedParameters)
            + OpenIDConnectRegistration().allowedParameters + OAuth2Registration().allowedParameters
            + TwitterTemplate.allowedParameters
        let reserved: Set = [
            "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method", "response_mode", "request", "request_uri", "claims", "id_token_hint",
            "client_secret",
        ]
        #expect(reserved.isDisjoint(with: allowed))
        #expect(!allowed.contains { $0.hasPrefix("oauth_") })
    }

    @Test("A provider without a template binds every flow by PKCE, and is discovered")
    func generic() {
        #expect(OpenIDConnectRegistration().pkce == .s256)
        #expect(OpenIDConnectRegistration().endpoints == EndpointOverrides())
        #expect(OAuth2Registration().oauth2.pkce == .s256)
    }

    @Test("An OAuth 2.0 provider without PKCE has a client secret")
    func withoutProofKey() {
        for (id, template) in ProviderTemplate.named {
            guard case .oauth2(let it) = template, it.oauth2.pkce == .off else { continue }
            #expect(it.tokenEndpointAuthentication != .none, "\(id)")
        }
    }

    @Test("OAuth 1.0a of X requests read access, and calls api.x.com")
    func xOAuth1() throws {
        let oauth1 = TwitterTemplate().oauth1(
            client: ClientCredentials(identifier: "key", sharedSecret: Secret("secret")), requestsEmail: true)
        #expect(oauth1.temporaryCredentialsEndpoint == X.requestToken)
        #expect(oauth1.temporaryCredentialsParameters == ["x_auth_access_type": "read"])
        #expect(oauth1.authorizationEndpoint == X.authenticate)
        #expect(oauth1.tokenEndpoint == X.accessToken)
        #expect(oauth1.credentialsCheck.url == X.verifyCredentials)
        #expect(
            oauth1.credentialsCheck.query == [
                "include_entities": "false", "skip_status": "true", "include_email": "true",
            ])
        #expect(oauth1.fallback.url == X.usersMe)
        #expect(oauth1.fallback.query == ["user.fields": "id,name,username,profile_image_url"])
    }

    @Test("The e-mail address is not requested from X unless the configuration says so")
    func xWithoutEmail() {
        let oauth1 = TwitterTemplate().oauth1(
            client: ClientCredentials(identifier: "key", sharedSecret: Secret("secret")), requestsEmail: false)
        #expect(oauth1.credentialsCheck.query["include_email"] == nil)
        let oauth2 = TwitterTemplate().oauth2(
            clientID: "id", clientAuthentication: .none, scopes: ["tweet.read", "users.read"])
        #expect(oauth2.user.query == ["user.fields": "id,name,username,profile_image_url"])
        #expect(oauth2.user.queryWithoutEmail == nil)
    }

    @Test("X's OAuth 2.0 needs both scopes that its user endpoint needs, and can do without the address")
    func xOAuth2() {
        let oauth2 = TwitterTemplate().oauth2(
            clientID: "id", clientAuthentication: .none, scopes: TwitterTemplate.scopes)
        #expect(oauth2.authorizationEndpoint == X.authorize)
        #expect(oauth2.tokenEndpoint == X.token)
        #expect(oauth2.requiredScopes == ["tweet.read", "users.read"])
        #expect(oauth2.user.url == X.usersMe)
        #expect(oauth2.user.query == ["user.fields": "id,name,username,profile_image_url,confirmed_email"])
        #expect(oauth2.user.queryWithoutEmail == ["user.fields": "id,name,username,profile_image_url"])
    }

    @Test("The host of X's API is a setting, since it is part of every signature")
    func xHost() {
        let template = TwitterTemplate(api: "https://api.twitter.com")
        let oauth1 = template.oauth1(
            client: ClientCredentials(identifier: "key", sharedSecret: Secret("secret")), requestsEmail: true)
        let oauth2 = template.oauth2(clientID: "id", clientAuthentication: .none, scopes: [])
        let urls = [
            oauth1.temporaryCredentialsEndpoint, oauth1.tokenEndpoint, oauth1.credentialsCheck.url,
            oauth1.fallback.url, oauth2.tokenEndpoint, oauth2.user.url,
        ]
        #expect(urls.allSatisfy { $0.hasPrefix("https://api.twitter.com/") })
    }
}

extension ProviderTemplate {
    fileprivate var allowedParameters: [String] {
        switch self {
        case .openIDConnect(let registration): registration.allowedParameters
        case .oauth2(let registration): registration.allowedParameters
        }
    }
}
