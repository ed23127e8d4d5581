import Exchange
import Flows
import Providers
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Token responses")
struct TokenResponseTests {
    /// Expects an error for a response; the code is spent in every case.
    private func check(
        _ answer: ScriptedAnswer, of server: Redemption.Server = .yahoo, is expected: Refusal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let redemption = try Redemption(server)
        redemption.script(answer)
        await expectRefusal(expected, sourceLocation: sourceLocation) { try await redemption.redeem() }
        #expect(redemption.deployment.store.spentKinds == [.authorizationCode], sourceLocation: sourceLocation)
        #expect(redemption.requests.count == 1, sourceLocation: sourceLocation)
    }

    private func malformed(_ part: String) -> Refusal {
        ProviderFailure.malformedResponse(part).refusal.spent
    }

    @Test("EX-14: The token type bearer is compared without case", arguments: ["bearer", "Bearer", "BEARER"])
    func bearer(_ type: String) async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"a","token_type":"\#(type)"}"#))
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken?.secret.secretText == "a")
        #expect(tokens.expiresIn == nil && tokens.scope == nil && tokens.refreshToken == nil)
    }

    @Test(
        "EX-14: A token of another type, or without a type, is refused",
        arguments: [#""mac""#, #""DPoP""#, #""bearer ""#, #""""#, "null", "1", #"["bearer"]"#])
    func otherType(_ type: String) async throws {
        try await check(
            .json(#"{"access_token":"a","token_type":\#(type)}"#), of: .x, is: malformed("token_type"))
        try await check(.json(#"{"access_token":"a"}"#), of: .x, is: malformed("token_type"))
    }

    @Test(
        "X2-05: A response without an access token is refused",
        arguments: ["", #""access_token":"","#, #""access_token":null,"#, #""access_token":1,"#])
    func noAccessToken(_ member: String) async throws {
        try await check(
            .json(#"{\#(member)"token_type":"bearer"}"#), of: .x, is: malformed("access_token"))
    }

    @Test("An access token has up to 16 KiB", arguments: [(16384, true), (16385, false)])
    func longAccessToken(_ count: Int, _ isTaken: Bool) async throws {
        let redemption = try Redemption(.x)
        let text = String(repeating: "a", count: count)
        redemption.script(.json(#"{"access_token":"\#(text)","token_type":"bearer"}"#))
        if isTaken {
            _ = try await redemption.redeem()
        } else {
            await #expect(throws: malformed("access_token")) { try await redemption.redeem() }
        }
    }

    @Test(
        "X2-05: A lifetime that is not a non-negative number of seconds is refused",
        arguments: ["-1", #""3600""#, "null", "1.5", "true"])
    func lifetime(_ value: String) async throws {
        try await check(
            .json(#"{"access_token":"a","token_type":"bearer","expires_in":\#(value)}"#), of: .x,
            is: malformed("expires_in"))
    }

    @Test("A response with a member of another type is refused", arguments: ["id_token", "refresh_token", "scope"])
    func otherMemberType(_ member: String) async throws {
        for value in ["1", "null", #"["a"]"#] {
            try await check(
                .json(#"{"access_token":"a","token_type":"bearer","\#(member)":\#(value)}"#), of: .x,
                is: malformed(member))
        }
    }

    @Test("A response of an OpenID provider without an ID token is refused")
    func noIDToken() async throws {
        try await check(.json(#"{"access_token":"a","token_type":"bearer"}"#), is: malformed("id_token"))
    }

    @Test(
        "X2-05: A token of X without the scopes of its user endpoint is refused",
        arguments: ["tweet.read", "users.read", "", "tweet.read,users.read", "tweet.readusers.read"])
    func narrowScope(_ scope: String) async throws {
        try await check(
            .json(#"{"access_token":"a","token_type":"bearer","scope":"\#(scope)"}"#), of: .x,
            is: malformed("scope"))
    }

    @Test("The scope may be omitted if it is the requested one (RFC 6749 §5.1), and may contain more")
    func scope() async throws {
        for scope in ["", #","scope":"users.read offline.access tweet.read""#] {
            let redemption = try Redemption(.x)
            redemption.script(.json(#"{"access_token":"a","token_type":"bearer"\#(scope)}"#))
            _ = try await redemption.redeem()
        }
    }

    @Test("A response with status 200 and an error is refused")
    func errorWithSuccess() async throws {
        try await check(
            .json(#"{"access_token":"a","token_type":"bearer","error":"invalid_grant"}"#), of: .x,
            is: malformed("error beside status 200"))
    }

    @Test("UP-08: An HTML page instead of a response is refused")
    func page() async throws {
        try await check(.page(), is: malformed("media type"))
    }

    @Test(
        "UP-09: Garbage instead of a response is refused",
        arguments: [
            "", "[]", "null", "{", #"{"access_token":"a","access_token":"b","token_type":"bearer"}"#,
            #"{"access_token":"a","token_type":"bearer"}<!-- -->"#,
        ])
    func garbage(_ body: String) async throws {
        try await check(.json(body), of: .x, is: malformed("JSON object"))
    }

    @Test(
        "CB-27: A redirect is not followed and counts as a failure of the provider",
        arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        try await check(
            .status(status, header: [HeaderField("Location", "https://evil.example/token")]),
            is: ProviderFailure.failed(status: status).refusal.spent)
    }

    @Test("Another status of success than 200 is refused", arguments: [201, 204, 206])
    func otherSuccess(_ status: Int) async throws {
        try await check(
            .json(#"{"access_token":"a","token_type":"bearer"}"#, status: status), of: .x,
            is: ProviderFailure.failed(status: status).refusal.spent)
    }

    @Test(
        "Every refusal with 4xx means that the code was rejected, whatever its error code is",
        arguments: [
            (400, #"{"error":"invalid_grant"}"#),
            // The error code of X for a bad code.
            (
                400,
                #"{"error":"invalid_request","error_description":"Value passed for the code was invalid."}"#
            ),
            (401, #"{"error":"invalid_grant"}"#), (401, #"{"error":"INVALID_GRANT"}"#), (403, "{}"),
            (400, "<html>"), (400, ""), (404, #"{"error":7}"#), (400, #"{"error":"invalid_grant","error":"x"}"#),
        ])
    func refusal(_ status: Int, _ body: String) async throws {
        for server in Redemption.Server.allCases {
            try await check(.json(body, status: status), of: server, is: Refusal.codeRejected)
        }
    }

    @Test(
        "A refusal of this server's client does not reject the code, in upper and lower case",
        arguments: [
            "invalid_client", "INVALID_CLIENT", "INVALID_CLIENT_SECRET", "invalid_client_secret",
            "Unauthorized_Client", "INVALID_CONSUMER_KEY", "DELETED_CONSUMER_KEY", "DISABLED_CONSUMER_KEY",
            "UNSUPPORTED_GRANT_TYPE",
        ])
    func refusedClient(_ error: String) async throws {
        for status in [400, 401] {
            try await check(
                .json(#"{"error":"\#(error)"}"#, status: status),
                is: ProviderFailure.refusedClient(.credentials).refusal.spent)
        }
    }

    @Test("EX-20: Nothing of the provider's error text is passed on")
    func echo() async throws {
        let redemption = try Redemption(.yahoo)
        redemption.script(.json(#"{"error":"<b>\#(Yahoo.clientSecret)</b>"}"#, status: 400))
        do {
            _ = try await redemption.redeem()
            Issue.record("The code was accepted.")
        } catch {
            #expect(!"\(error)".contains(Yahoo.clientSecret))
            #expect(Refusal(error) == Refusal.codeRejected)
        }
    }
}

@Suite("Token requests")
struct TokenRequestTests {
    @Test("Yahoo gets code, redirect URI and verifier in the form, and the client secret in the header field")
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

    @Test("A provider with client_secret_post gets the secret only in the form")
    func secretInForm() async throws {
        let redemption = try Redemption(.generic)
        _ = try await redemption.redeem()
        let request = try #require(redemption.requests.first)
        #expect(request[field: "Authorization"] == nil)
        #expect(try request.form["client_id"] == Generic.clientID)
        #expect(try request.form["client_secret"] == Generic.clientSecret)
        #expect(request.url == Generic.token)
    }

    @Test("X2-06: X gets the client secret only in the header field, and the verifier in the form")
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
        "EX-12, CB-22: Any characters of a code reach the provider as one value without further parameters",
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
