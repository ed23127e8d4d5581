import OAuth
import Support
import Testing
import Transport

@Suite("Token requests")
struct TokenRequestTests {
    @Test("Yahoo sees the code, the redirect URI and the verifier in a form, and our secret in the header field")
    func yahoo() async throws {
        let redemption = try Redemption(.yahoo)
        _ = try await redemption.redeem()
        let request = try #require(redemption.requests.first)
        #expect(redemption.requests.count == 1)
        let form = try request.form
        #expect(form.pairs.map(\.name) == ["grant_type", "code", "redirect_uri", "code_verifier"])
        #expect(
            form.pairs.map(\.value) == [
                "authorization_code", "x2tzunc", DeploymentPlan.redirectURI, Redemption.verifier,
            ])
        #expect(
            request[field: "Authorization"]
                == BasicAuthorization.field(clientID: Yahoo.clientID, clientSecret: Secret(Yahoo.clientSecret)))
        #expect(request.url == Yahoo.token)
        #expect(request.timeout == .seconds(10))
    }

    @Test("Without PKCE there is no code_verifier")
    func noVerifier() async throws {
        let redemption = try Redemption(.yahoo)
        _ = try await redemption.redeem(verifier: nil)
        #expect(try redemption.requests.first?.form["code_verifier"] == nil)
    }

    @Test("A provider that wants the secret in the form gets it there alone")
    func secretInForm() async throws {
        let redemption = try Redemption(.generic)
        _ = try await redemption.redeem()
        let request = try #require(redemption.requests.first)
        #expect(request[field: "Authorization"] == nil)
        #expect(try request.form["client_id"] == Generic.clientID)
        #expect(try request.form["client_secret"] == Generic.clientSecret)
        #expect(request.url == Generic.token)
    }

    @Test("X2-06: X sees our secret in the header field alone, and the verifier in the form")
    func x() async throws {
        let redemption = try Redemption(.x)
        _ = try await redemption.redeem()
        let request = try #require(redemption.requests.first)
        #expect(
            request[field: "Authorization"]
                == BasicAuthorization.field(clientID: X.clientID, clientSecret: Secret(X.clientSecret)))
        #expect(try request.form["code_verifier"] == Redemption.verifier)
        #expect(try request.form["client_secret"] == nil)
        #expect(request.url == X.token)
    }

    @Test(
        "EX-12, CB-22: Whatever a code holds, the provider sees one value of it and nothing beside",
        arguments: [
            "x&client_id=evil&grant_type=refresh_token", "a\r\nHost: evil.example", "a b+c", "%26client_id%3Devil",
            "é\0", "code=1#",
        ])
    func encoding(_ code: String) async throws {
        let redemption = try Redemption(.yahoo)
        _ = try await redemption.redeem(code: code)
        let body = String(decoding: try #require(redemption.requests.first).body, as: UTF8.self)
        let pairs = body.split(separator: "&").map { $0.split(separator: "=", omittingEmptySubsequences: false) }
        #expect(pairs.map { String($0[0]) } == ["grant_type", "code", "redirect_uri", "code_verifier"])
        #expect(pairs.allSatisfy { $0.count == 2 })
        #expect(PercentEncoding.decode(pairs[1][1], plusIsSpace: true) == code)
        #expect(!body.utf8.contains { $0 <= 0x20 || $0 >= 0x7F })
    }
}
