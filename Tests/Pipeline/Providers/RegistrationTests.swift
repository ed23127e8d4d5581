import JOSE
import Providers
import Standards
import Support
import Testing
import Transport

@Suite("Registrations")
struct RegistrationTests {
    @Test("A value that is missing in a registration comes from the template")
    func template() async throws {
        let deployment = try Deployment()
        let openIDConnect = try deployment.openIDConnect(of: deployment.yahoo)
        #expect(openIDConnect.scopes == ["openid", "profile", "email"])
        #expect(openIDConnect.pkce == .off)
        #expect(openIDConnect.algorithms == [.es256, .rs256])
        #expect(openIDConnect.nonceRule == .server)
        #expect(openIDConnect.maximumAge == .seconds(600))
        #expect(openIDConnect.clockSkew == .seconds(60))
        #expect(deployment.yahoo.allowedParameters == Set(OpenIDConnectRegistration.yahoo.allowedParameters))
        #expect(try await openIDConnect.endpoints().token == OpenIDConnectRegistration.yahoo.endpoints.token)
        #expect(deployment.peer.requests.isEmpty)
    }

    @Test("A value in a registration replaces that of the template")
    func overrides() async throws {
        let deployment = try Deployment { plan in
            plan.yahoo.scopes = ["openid"]
            plan.yahoo.pkce = .s256
            plan.yahoo.allowedParameters = ["prompt"]
            plan.yahoo.nonceRule = .clientPlain
            plan.yahoo.maximumAge = .seconds(5)
            plan.yahoo.clockSkew = .seconds(6)
            plan.yahoo.emailTrust = .never
            plan.yahoo.timeout = .seconds(7)
            plan.yahoo.endpoints.token = "https://proxy.example/token"
            plan.yahoo.endpoints.issuers = ["https://login.yahoo.com", Yahoo.issuer]
        }
        let openIDConnect = try deployment.openIDConnect(of: deployment.yahoo)
        #expect(openIDConnect.scopes == ["openid"])
        #expect(openIDConnect.pkce == .s256)
        #expect(openIDConnect.nonceRule == .clientPlain)
        #expect(openIDConnect.maximumAge == .seconds(5))
        #expect(openIDConnect.clockSkew == .seconds(6))
        #expect(deployment.yahoo.allowedParameters == ["prompt"])
        #expect(deployment.yahoo.emailTrust == .never)
        #expect(deployment.yahoo.timeout == .seconds(7))
        let endpoints = try await openIDConnect.endpoints()
        #expect(endpoints.token == "https://proxy.example/token")
        #expect(endpoints.authorization == Yahoo.authorization)
        #expect(endpoints.issuers == ["https://login.yahoo.com", Yahoo.issuer])
    }

    @Test("A provider has the protocols that it was given")
    func protocols() throws {
        let deployment = try Deployment()
        #expect(deployment.yahoo.openIDConnect != nil)
        #expect(deployment.yahoo.oauth1 == nil && deployment.yahoo.oauth2 == nil)
        #expect(deployment.x.openIDConnect == nil)
        #expect(deployment.x.oauth1 != nil && deployment.x.oauth2 != nil)
    }

    @Test("A secret is sent only in the header or in the body, as the registration says")
    func clientAuthentication() throws {
        let form: [(name: String, value: String)] = [("grant_type", "authorization_code")]
        let basic = OutboundRequest.post(
            "https://id.example/token", form: form, clientID: "id", authentication: .clientSecretBasic(Secret("s:s")),
            timeout: .seconds(1))
        #expect(basic[field: "Authorization"] == BasicAuthorization.field(clientID: "id", clientSecret: Secret("s:s")))
        #expect(String(decoding: basic.body, as: UTF8.self) == "grant_type=authorization_code")

        let post = OutboundRequest.post(
            "https://id.example/token", form: form, clientID: "id", authentication: .clientSecretPost(Secret("s:s")),
            timeout: .seconds(1))
        #expect(post[field: "Authorization"] == nil)
        #expect(
            String(decoding: post.body, as: UTF8.self)
                == "grant_type=authorization_code&client_id=id&client_secret=s%3As")

        let none = OutboundRequest.post(
            "https://id.example/token", form: form, clientID: "id", authentication: .none, timeout: .seconds(1))
        #expect(none[field: "Authorization"] == nil)
        #expect(String(decoding: none.body, as: UTF8.self) == "grant_type=authorization_code&client_id=id")
        for request in [basic, post, none] {
            #expect(request.url == "https://id.example/token")
            #expect(request[field: "Content-Type"] == "application/x-www-form-urlencoded")
            #expect(request[field: "Accept"] == "application/json")
        }
    }
}
