import Exchange
import Flows
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

private let damaged = "JSON with an error, or with too many levels"

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

    private func malformed(_ part: String, _ found: String) -> Refusal {
        ProviderFailure.malformedResponse(part, found: found).refusal.spent
    }

    @Test(
        "EX-14: The token type bearer is compared without case", arguments: ["bearer", "Bearer", "BEARER", " Bearer "])
    func bearer(_ type: String) async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"a","token_type":"\#(type)"}"#))
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken?.secret.secretText == "a")
        #expect(tokens.expiresIn == nil && tokens.scope == nil && tokens.refreshToken == nil && tokens.deviation == nil)
    }

    private func notJSON(_ body: String) -> Refusal { ProviderFailure.notJSON(.token, body).refusal.spent }

    @Test(
        "EX-14: A token that is bound to a key, or is no access token, is refused by the name of its type",
        arguments: [
            ("mac", "MAC"), ("DPoP", "DPoP"), ("dpop", "DPoP"), ("N_A", "N_A"), ("bearer mac", "MAC"), ("PoP", "PoP"),
        ])
    func boundType(_ type: String, _ name: String) async throws {
        let failure = ProviderFailure.otherTokenType(name)
        try await check(
            .json(#"{"access_token":"a","token_type":"\#(type)"}"#), of: .x, is: failure.refusal.spent)
        #expect(failure.sentence == "token_type in its answer is \(name), and only Bearer is supported")
        #expect(failure.refusal.reason == .providerResponseInvalid)
    }

    @Test("An access token that is bound to a key is not used beside an ID token, and the operator reads it")
    func boundTypeBesideIDToken() async throws {
        let redemption = try Redemption(.generic)
        redemption.script(.json(#"{"access_token":"a","token_type":"DPoP","id_token":"i"}"#))
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken == nil && tokens.idToken?.secret.secretText == "i")
        #expect(tokens.deviation == .otherTokenType("DPoP"))
    }

    @Test(
        "A token of an unknown type is used as Bearer if nothing else proves the person, and the operator reads it",
        arguments: ["User Access Token", "jwt-bearer", "OAuth", "access_token", "Bearer,Bearer"])
    func unknownType(_ type: String) async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"v^1.1#a","token_type":"\#(type)","expires_in":7200}"#))
        let tokens = try await redemption.redeem()
        #expect(
            tokens.accessToken?.secret.secretText == "v^1.1#a" && tokens.deviation == .otherTokenType(nil, isUsed: true)
        )
        let proven = try Redemption(.generic)
        proven.script(.json(#"{"access_token":"a","token_type":"\#(type)","id_token":"i"}"#))
        let others = try await proven.redeem()
        #expect(others.accessToken == nil && others.deviation == .otherTokenType(nil))
        #expect(others.deviation?.isTolerated == false)
        let failure = ProviderFailure.otherTokenType(nil, isUsed: true)
        #expect(failure.isTolerated && !failure.sentence.contains(type) && failure.advice == nil)
    }

    @Test(
        "Beside an ID token that nothing verifies, a token of an unknown type is used as Bearer: the sign-in needs it")
    func unknownTypeWithoutOpenID() async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"a","token_type":"example","id_token":"i"}"#))
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken?.secret.secretText == "a" && tokens.deviation == .otherTokenType(nil, isUsed: true))
    }

    @Test("A refresh that brings a token of an unknown type is refused by its type, and not as one without a token")
    func unknownTypeOfRefresh() async throws {
        let redemption = try Redemption(.generic)
        redemption.script(
            .json(#"{"access_token":"a","token_type":"example","expires_in":3600,"id_token":"i"}"#))
        let deployment = redemption.deployment
        let tokens = try await deployment.exchanger.refresh(RefreshToken("r"), at: deployment.generic)
        let failure = ProviderFailure.otherTokenType(nil)
        #expect(
            failure.advice?.hasSuffix("let the provider send Bearer to this client. Without it userinfo is not asked.")
                == true)
        #expect(failure.sentence == "token_type in its answer is not Bearer, so that the access token is not used")
        await expectRefusal(failure.refusal) {
            try await deployment.verifier.owner(of: tokens, at: deployment.generic)
        }
    }

    @Test(
        "A type that is missing or no text counts as bearer: it proves nothing",
        arguments: [
            "", #","token_type":null"#, #","token_type":"""#, #","token_type":1"#, #","token_type":["bearer"]"#,
        ])
    func noType(_ member: String) async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"a"\#(member)}"#))
        #expect(try await redemption.redeem().accessToken?.secret.secretText == "a")
    }

    @Test(
        "X2-05: A response of X without a usable access token is refused: nothing else proves the person",
        arguments: [
            (#""access_token":1,"#, "it is a number"), (#""access_token":{"value":"a"},"#, "it is an object"),
            (#""access_token":"a\u0000","#, twice), (#""access_token":"a\nb","#, otherText),
            (#""id_token":"i","#, "its members are id_token, token_type"),
            (#""access_token":"  ","#, otherText),
            (#""access_token":"a","access_token":"b","#, twice), (#""access_token":"a","access_token":"a","#, twice),
        ])
    func noAccessToken(_ member: String, _ form: String) async throws {
        try await check(
            .json(#"{\#(member)"token_type":"bearer"}"#), of: .x, is: malformed("access_token", form))
    }

    private static let twice = "it is two members of that name, a number out of range, or a text that cannot be read"
    private static let otherText = "it is a text of other characters than visible ASCII, or of too many"

    @Test(
        "An answer with the status of success and without a token is named as one, with its members",
        arguments: [
            (
                #"{"status":"error","msg":"Incorrect client secret for application: vaultwarden","data":null,"data2":null}"#,
                "msg, status"
            ),
            (
                #"{"access_token":"error: invalid_client: client_secret is invalid","id_token":"","refresh_token":"","token_type":""}"#,
                "access_token, id_token, refresh_token, token_type"
            ),
            (#"{"token_type":"bearer"}"#, "token_type"),
            (#"{"access_token":"","token_type":"bearer"}"#, "access_token, token_type"),
            (#"{"access_token":null}"#, ""), ("{}", ""), (#"{"error":""}"#, "error"),
            (#"{"challenge_name":"email_otp","session":"s3cret"}"#, "challenge_name, session"),
        ])
    func noTokens(_ body: String, _ members: String) async throws {
        let failure = ProviderFailure.noTokens(status: 200, members: members)
        for server in Redemption.Server.allCases { try await check(.json(body), of: server, is: failure.refusal.spent) }
        #expect(failure.refusal.reason == .providerResponseInvalid)
        let named = members.isEmpty ? "" : "; the members of its answer are \(members)"
        #expect(failure.sentence.hasSuffix("answers without tokens (status 200)\(named)"))
        #expect(failure.advice?.contains("token_endpoint_auth") == true)
    }

    @Test(
        "Tokens in another place than that of RFC 6749 are no refusal: the place is named, and never the token",
        arguments: [
            (
                #"{"code":0,"msg":"success","data":{"access_token":"s3cretToken","token_type":"Bearer"}}"#,
                "data.access_token"
            ),
            (#"{"accessToken":"s3cretToken","expireIn":7200}"#, "accessToken"),
            (#"{"result":{"idToken":"s3cretToken"}}"#, "result.idToken"),
            (#"{"data":[{"access_token":"s3cretToken","user_id":"1020"}]}"#, "data[0].access_token"),
        ])
    func tokensElsewhere(_ body: String, _ place: String) async throws {
        let failure = ProviderFailure.tokensElsewhere(place)
        for server in Redemption.Server.allCases { try await check(.json(body), of: server, is: failure.refusal.spent) }
        #expect(failure.refusal.reason == .providerResponseInvalid)
        #expect(
            failure.sentence
                == "its token endpoint answers with \(place) in place of access_token, which is not supported")
        #expect(failure.advice?.contains("RFC 6749 section 5.1") == true)
    }

    @Test(
        "The operator reads what the provider says about its refusal, and neither the application nor the text for it does",
        arguments: [
            (
                400, #"{"error":"invalid_request","error_description":"device_id is missing or invalid"}"#,
                "error: invalid_request; error_description: device_id is missing or invalid"
            ),
            (
                400, #"{"statusCode":400,"message":["code must be a string"],"error":"Bad Request"}"#,
                "error: Bad Request; message: code must be a string"
            ),
            (400, #"{"error":"Unsupported grant_type: banana"}"#, "error: Unsupported grant_type: banana"),
            (200, #"{"errcode":40029,"errmsg":"invalid code"}"#, "errcode: 40029; errmsg: invalid code"),
            (
                401, #"{"error":"invalid_client","error_description":"AADSTS7000215"}"#,
                "error: invalid_client; error_description: AADSTS7000215"
            ),
            (
                400, #"{"error":"invalid_grant","error_description":"x2tzunc is used"}"#,
                "error: invalid_grant; error_description: [left out] is used"
            ),
            (
                400, "error=invalid_scope&error_description=No+such+scope",
                "error: invalid_scope; error_description: No such scope"
            ),
            (
                400,
                #"{"errors":[{"errorType":"invalid_grant","message":"Authorization code invalid: x2tzunc Visit https://dev.example/"#
                    + #"docs"}],"success":false}"#,
                "errorType: invalid_grant; message: Authorization code invalid: [left out] Visit [left out]"
            ),
            (
                400, "error=invalid_scope&error_description=No%0D%0Asuch%20scope%00%E9",
                "error: invalid_scope; error_description: No such scope [left out]"
            ),
            (
                401,
                #"{"error":"invalid_client","error_description":"AADSTS7000222: The provided client secret keys for app "#
                    + #"'9c6d27a1-3f0e-4b6c-8f3c-0d5a9c1f7e2b' are expired."}"#,
                "error: invalid_client; error_description: AADSTS7000222: The provided client secret keys for app [left out] "
                    + "are expired."
            ),
            (
                400, #"{"ErrorCode":"invalid_request","Error":"Invalid Authorization Code"}"#,
                "error: Invalid Authorization Code; errorCode: invalid_request"
            ),
            (
                401,
                #"{"fault":{"faultstring":"Invalid client identifier {0}","detail":{"errorcode":"oauth.v2.InvalidClientIdentifier"}}}"#,
                "faultstring: Invalid client identifier [left out] errorcode: [left out]"
            ),
            (
                400,
                #"{"error_type":"OAuthException","code":400,"error_message":"Matching code was not found or was already used."}"#,
                "error_type: OAuthException; code: 400; error_message: Matching code was not found or was already used."
            ),
            (400, "<Error><Message>Not &quot;approved&quot;</Message></Error>", "message: Not \"approved\""),
            (
                400,
                #"{"error":"invalid_grant","error_description":"authorization code not found for code=x2tzunc","#
                    + #""error_code":"KOE320"}"#,
                "error: invalid_grant; error_code: KOE320; error_description: authorization code not found for [left out]"
            ),
            (
                200, #"callback( {"error":100020,"error_description":"code is reused error"} );"# + "\n",
                "error: 100020; error_description: code is reused error"
            ), (400, "Invalid client", "message: Invalid client"),
            (
                400,
                #"{"error":"invalid_grant","error_description":"The grant is not valid","hint":"The address is locked","message":"The grant is not valid"}"#,
                "error: invalid_grant; error_description: The grant is not valid; hint: The address is locked"
            ),
            (400, "{}", nil), (400, "<html>error</html>", nil), (400, "<!DOCTYPE html><error>a</error>", nil),
        ] as [(Int, String, String?)])
    func words(_ status: Int, _ body: String, _ words: String?) async throws {
        for server in Redemption.Server.allCases {
            let redemption = try Redemption(server)
            redemption.script(.json(body, status: status))
            let refusal = await #expect(throws: Refusal.self) { try await redemption.redeem() }
            #expect(refusal?.words == words)
            #expect(words == nil || refusal?.description.contains(words ?? "") == false)
        }
    }

    @Test("An access token has up to 64 KiB", arguments: [(65_536, true), (65_537, false)])
    func longAccessToken(_ count: Int, _ isTaken: Bool) async throws {
        let redemption = try Redemption(.x)
        let text = String(repeating: "a", count: count)
        redemption.script(.json(#"{"access_token":"\#(text)","token_type":"bearer"}"#))
        if isTaken {
            _ = try await redemption.redeem()
        } else {
            await expectRefusal(malformed("access_token", Self.otherText)) { try await redemption.redeem() }
        }
    }

    @Test(
        "expires_in is read as a number or as decimal text, from 1 second to ten years, and otherwise left out",
        arguments: [
            ("3599", 3599), (#""3599""#, 3599), ("3599.0", 3599), ("3599.9", 3599), (#"" 3600 ""#, 3600), ("1", 1),
            ("315360000", 315_360_000), ("315360001", nil), ("3600000000000", nil), ("0", nil), ("-1", nil),
            ("null", nil),
            ("true", nil), (#""""#, nil), (#""1h""#, nil), (#""0x10""#, nil), ("[3600]", nil), (#"{"s":1}"#, nil),
            ("1e400", nil), ("99999999999999999999", nil), ("1e3", 1000),
        ] as [(String, Int64?)])
    func lifetime(_ value: String, _ expected: Int64?) async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"a","token_type":"bearer","expires_in":\#(value)}"#))
        #expect(try await redemption.redeem().expiresIn == expected)
    }

    @Test(
        "Real-world 07: the answer of a provider that quotes its numbers",
        arguments: Redemption.Server.allCases)
    func quotedNumbers(_ server: Redemption.Server) async throws {
        let redemption = try Redemption(server)
        redemption.script(
            .json(
                #"{"token_type":"Bearer","expires_in":"3599","ext_expires_in":"3599","expires_on":"1798000000","#
                    + #""access_token":"a","id_token":"i"}"#))
        let tokens = try await redemption.redeem()
        #expect(tokens.expiresIn == 3599 && tokens.accessToken?.secret.secretText == "a")
    }

    @Test(
        "Real-world 08: members that are null, empty or of another type are left out",
        arguments: ["null", #""""#, "1", "true", #"{"a":1}"#, #""a\u0000b""#, #""\ud800""#])
    func unusableMembers(_ value: String) async throws {
        let redemption = try Redemption(.x)
        redemption.script(
            .json(
                #"{"access_token":"a","token_type":"bearer","refresh_token":\#(value),"scope":\#(value),"#
                    + #""id_token":\#(value),"error":null,"unknown":\#(value)}"#))
        let tokens = try await redemption.redeem()
        #expect(tokens.refreshToken == nil && tokens.scope == nil && tokens.idToken == nil)
    }

    @Test("A refresh token of blanks only is left out, and a blank beside other characters belongs to it")
    func blankRefreshToken() async throws {
        for (text, isToken) in [(" ", false), ("   ", false), (" r ", true)] {
            let redemption = try Redemption(.x)
            redemption.script(.json(#"{"access_token":"a","token_type":"bearer","refresh_token":"\#(text)"}"#))
            #expect(try await redemption.redeem().refreshToken?.secret.secretText == (isToken ? text : nil))
        }
    }

    @Test("A scope that is a list is read as the text that RFC 6749 defines")
    func scopeList() async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"a","scope":["users.read","tweet.read"]}"#))
        #expect(try await redemption.redeem().scope == "users.read tweet.read")
    }

    @Test("An OpenID provider need not issue an access token, because the ID token proves the person")
    func onlyIDToken() async throws {
        for member in ["", #","access_token":null"#, #","access_token":7"#] {
            let redemption = try Redemption(.generic)
            redemption.script(.json(#"{"id_token":"i"\#(member)}"#))
            let tokens = try await redemption.redeem()
            #expect(tokens.accessToken == nil && tokens.idToken?.secret.secretText == "i")
        }
    }

    @Test(
        "X2-05: A token of X without the scopes of its user endpoint is refused, and the operator reads which are missing",
        arguments: [
            ("tweet.read", "users.read"), ("users.read a.b", "tweet.read"),
            ("tweet.read,users.read", "tweet.read users.read"),
            ("tweet.readusers.read", "tweet.read users.read"),
        ])
    func narrowScope(_ scope: String, _ missing: String) async throws {
        let granted = scope == "users.read a.b" ? "a.b users.read" : scope
        try await check(
            .json(#"{"access_token":"a","token_type":"bearer","scope":"\#(scope)"}"#), of: .x,
            is: ProviderFailure.malformedResponse("scope with \(missing)", found: "it is \(granted)").refusal.spent)
    }

    @Test("The scope may be omitted if it is the requested one (RFC 6749 §5.1), and may contain more")
    func scope() async throws {
        for scope in ["", #","scope":"users.read offline.access tweet.read""#] {
            let redemption = try Redemption(.x)
            redemption.script(.json(#"{"access_token":"a","token_type":"bearer"\#(scope)}"#))
            _ = try await redemption.redeem()
        }
    }

    @Test("A member error that names no error refuses nothing", arguments: [#""""#, "0", "false", "null"])
    func errorWithoutName(_ value: String) async throws {
        let redemption = try Redemption(.x)
        redemption.script(
            .json(#"{"access_token":"a","token_type":"bearer","error":\#(value),"error_description":""}"#))
        #expect(try await redemption.redeem().accessToken?.secret.secretText == "a")
    }

    @Test("A response with status 200 and an error is refused by the error, also beside tokens")
    func errorWithSuccess() async throws {
        try await check(
            .json(#"{"access_token":"a","token_type":"bearer","error":"invalid_grant"}"#), of: .x,
            is: Refusal.codeRejected)
        try await check(
            .json(#"{"access_token":"a","token_type":"bearer","error":"other"}"#), of: .x,
            is: ProviderFailure.refused(status: 200, error: "of another name").refusal.spent)
    }

    @Test(
        "Real-world 51: the media type of an answer decides nothing",
        arguments: [
            "application/json", "text/plain; charset=utf-8", "text/html", "text/json", "application/octet-stream",
            "application/javascript", "application/vnd.oauth+json", nil,
        ])
    func mediaType(_ type: String?) async throws {
        let redemption = try Redemption(.x)
        redemption.script(
            .body(#"{"access_token":"a","token_type":"bearer"}"#, type: type))
        #expect(try await redemption.redeem().accessToken?.secret.secretText == "a")
    }

    @Test("A byte-order mark before the answer is skipped")
    func byteOrderMark() async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json("\u{FEFF}" + #"{"access_token":"a","token_type":"bearer"}"#))
        #expect(try await redemption.redeem().accessToken?.secret.secretText == "a")
    }

    @Test(
        "UP-08: what is no JSON object is refused, and the operator reads what it is",
        arguments: [
            ("token_type=bearer", "of another form (application/json)"),
            ("access_token=a&access_token=b", "of another form (application/json)"),
            ("eyJhbGciOiJub25lIn0.e30.", "a JWT"),
            ("eyJzdWIiOiJhIn0=", "of another form (application/json)"),
            // A text in JSON is no form, whatever its values contain.
            ("{\n\"next\":\"https://op.example/?a=b&access_token=c\"", damaged),
            (#"{"access_token":"a","expires_in":3599,}"#, damaged),
        ])
    func page(_ body: String, _ form: String) async throws {
        try await check(.json(body), of: .x, is: notJSON(form))
        let failure = ProviderFailure.notJSON(.token, form)
        #expect(failure.sentence == "the answer of its token endpoint is no JSON object: it is \(form)")
        #expect(failure.advice?.hasPrefix("Compare endpoints.token ") == true)
        #expect(failure.advice?.contains("the provider has to send JSON without errors (RFC 8259)") == true)
    }

    @Test("An empty body has advice of its own")
    func empty() async throws {
        try await check(.json(""), of: .x, is: notJSON("empty"))
        #expect(ProviderFailure.notJSON(.token, "empty").advice?.contains("sends no content: look in its log") == true)
    }

    @Test("The operator reads a line of text that consists of words of error codes, in place of tokens")
    func sentence() async throws {
        for (body, words) in [
            ("Invalid client secret.", "message: Invalid client secret."), ("Dear Invalid secret", nil),
        ] as [(String, String?)] {
            let redemption = try Redemption(.x)
            redemption.script(.body(body, type: "text/plain"))
            let refusal = await #expect(throws: Refusal.self) { try await redemption.redeem() }
            #expect(refusal == notJSON("of another form (text/plain)") && refusal?.words == words)
        }
    }

    @Test(
        "JSON after a warning of a program is not read, and the operator reads that text precedes it",
        arguments: [
            "<br />\n<b>Deprecated</b>: Methods with the same name on line <b>12</b><br />\n",
            "Warning: Undefined array key in /app/token.php on line 3\n",
        ])
    func warning(_ warning: String) async throws {
        try await check(
            .body(warning + #"{"access_token":"a","token_type":"bearer"}"#, type: "text/html"), of: .x,
            is: notJSON("JSON after other text"))
        let advice = ProviderFailure.notJSON(.token, "JSON after other text").advice
        #expect(advice?.contains("with PHP display_errors must be off") == true)
    }

    @Test("The page of a protection against robots is named as one")
    func challenge() async throws {
        let failure = ProviderFailure.notTokenEndpoint(status: 403)
        try await check(
            .body(
                "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>", type: "text/html",
                status: 403,
                header: [HeaderField("cf-mitigated", "challenge")]), is: failure.refusal.spent)
        #expect(failure.advice?.contains("a protection against robots") == true)
        #expect(failure.advice?.contains("let it pass the address of this server") == true)
    }

    @Test("UP-08: a page with status 200 is not the answer of a token endpoint")
    func loginPage() async throws {
        try await check(
            .page(), of: .x, is: ProviderFailure.notTokenEndpoint(status: 200).refusal.spent)
    }

    @Test("A member in Latin-1 beside the tokens does not cost them")
    func latin1() async throws {
        let redemption = try Redemption(.x)
        let body = Array(#"{"access_token":"a","token_type":"bearer","name":"Jos"#.utf8) + [0xE9]
        redemption.deployment.peer.script(.post, redemption.endpoint, .bytes(body + Array(#"","expires_in":7}"#.utf8)))
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken?.secret.secretText == "a" && tokens.expiresIn == 7)
    }

    @Test("Error codes of some providers for the client and for the redirect URI are understood")
    func otherCodes() async throws {
        try await check(
            .json(#"{"ok":false,"error":"bad_client_secret"}"#),
            is: ProviderFailure.refusedClient(.credentials).refusal.spent)
        try await check(
            .json(#"{"error":"redirect_uri_mismatch"}"#, status: 400),
            is: ProviderFailure.refusedClient(.callbackNotApproved).refusal.spent)
    }

    @Test("Real-world 04: a compressed body without Content-Encoding is named")
    func compressed() async throws {
        let redemption = try Redemption(.x)
        redemption.deployment.peer.script(
            .post, redemption.endpoint, .bytes([0x1F, 0x8B, 0x08, 0x00, 0x00]))
        let form = "compressed with gzip, without the field Content-Encoding"
        await expectRefusal(notJSON(form)) { try await redemption.redeem() }
        #expect(ProviderFailure.notJSON(.token, form).advice?.hasSuffix("switch that off there.") == true)
    }

    @Test(
        "UP-09: Garbage instead of a response is refused",
        arguments: [
            ("[]", "a list"), ("null", "null"), ("{", damaged),
            (#"{"access_token":"a","token_type":"bearer"}<!-- -->"#, damaged),
        ])
    func garbage(_ body: String, _ form: String) async throws {
        try await check(.json(body), of: .x, is: notJSON(form))
    }

    @Test(
        "CB-27: A redirect is not followed, and the operator reads that the URL is not that of a token endpoint",
        arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        try await check(
            .status(status, header: [HeaderField("Location", "https://evil.example/token")]),
            is: ProviderFailure.notTokenEndpoint(status: status).refusal.spent)
    }

    @Test(
        "The log names where a token endpoint redirects, and no path but its own",
        arguments: [
            ("URL/", "redirects to URL/"), ("URL/?code=SECRET", "redirects to URL/"),
            ("https://evil.example/SECRET", "redirects to https://evil.example/..."),
        ])
    func destination(_ location: String, _ words: String) async throws {
        let redemption = try Redemption(.yahoo)
        let url = Yahoo.token
        let target = location.replacing("URL", with: url)
        redemption.script(.status(301, header: [HeaderField("Location", target)]))
        let refusal = await #expect(throws: Refusal.self) { try await redemption.redeem() }
        #expect(refusal?.words == words.replacing("URL", with: url))
    }

    @Test("The log names where a redirect with a page leads, and does not call another status a redirect")
    func destinationBehindPage() async throws {
        let redemption = try Redemption(.yahoo)
        let header = [HeaderField("Location", "https://new.example/token")]
        redemption.script(.body("<html><title>301 Moved</title>", type: "text/html", status: 301, header: header))
        let refusal = await #expect(throws: Refusal.self) { try await redemption.redeem() }
        #expect(refusal?.words == "redirects to https://new.example/...")
        let advice = ProviderFailure.notTokenEndpoint(status: 301).advice
        #expect(advice?.hasPrefix("Write the address to which the provider redirects as endpoints.token") == true)
        #expect(advice?.contains("If a page for signing in is there, compare endpoints.token") == true)
        let unchanged = ProviderFailure.notTokenEndpoint(status: 304)
        #expect(unchanged.sentence.hasSuffix("is not that of a token endpoint (status 304)"))
        #expect(unchanged.advice?.contains("redirects") == false)
        let profile = ProviderFailure.refusedProfile(.user, status: 301, says: "redirects to https://new.example/...")
        #expect(
            profile.sentence
                == "its user endpoint redirects to another address (status 301): it redirects to https://new.example/..."
        )
    }

    @Test("The operator reads what to compare if each code is rejected")
    func rejectedCode() {
        let advice = (Refusal.codeRejected.cause as? any AdvisingCause)?.advice
        #expect(
            advice?.hasPrefix(
                "If what the provider says does not name another cause: if each sign-in at this provider ends so, compare the "
                    + "endpoints") == true)
    }

    @Test("Status 201 counts as success, and every other one than 200 is refused")
    func otherSuccess() async throws {
        let redemption = try Redemption(.x)
        redemption.script(.json(#"{"access_token":"a","token_type":"bearer"}"#, status: 201))
        _ = try await redemption.redeem()
        for status in [202, 204, 206] {
            try await check(
                .json(#"{"access_token":"a","token_type":"bearer"}"#, status: status), of: .x,
                is: ProviderFailure.failed(status: status).refusal.spent)
        }
    }

    @Test(
        "Only an error code about the grant means that the code was rejected",
        arguments: [
            (400, #"{"error":"invalid_grant"}"#), (401, #"{"error":"invalid_grant"}"#),
            (401, #"{"error":"INVALID_GRANT"}"#), (403, #"{"error":"invalid_grant","unknown":1e400}"#),
        ])
    func refusal(_ status: Int, _ body: String) async throws {
        for server in Redemption.Server.allCases {
            try await check(.json(body, status: status), of: server, is: Refusal.codeRejected)
        }
    }

    @Test("X refuses a bad code with invalid_request, which at another provider is a mistake of this server")
    func invalidRequest() async throws {
        let body = #"{"error":"invalid_request","error_description":"Value passed for the code was invalid."}"#
        try await check(.json(body, status: 400), of: .x, is: Refusal.codeRejected)
        try await check(
            .json(body, status: 400), of: .yahoo,
            is: ProviderFailure.refused(status: 400, error: "invalid_request").refusal.spent)
    }

    @Test(
        "Real-world 06: what is no error of a token endpoint names the endpoint, and never the code",
        arguments: [
            (404, #"{"error":{"localizedMessage":"not found","errorId":"NOT_FOUND","message":"not found"}}"#),
            (404, #"{"error":"not_found"}"#), (403, "<html>Blocked</html>"), (405, ""), (410, "{}"),
            (404, #"{"error":7}"#), (404, #"{"message":"x"}"#), (401, "<html>Login</html>"),
            (400, ""), (400, "<html>"), (400, "[]"), (403, "no"),
        ])
    func notTokenEndpoint(_ status: Int, _ body: String) async throws {
        for server in Redemption.Server.allCases {
            let failure = ProviderFailure.notTokenEndpoint(status: status)
            try await check(.json(body, status: status), of: server, is: failure.refusal.spent)
            #expect(failure.refusal.reason == .providerError && failure.advice?.contains("endpoints.token") == true)
            #expect((failure.advice?.contains("compare client_id with the registration") == true) == (status == 404))
        }
    }

    @Test(
        "A JSON object without an error code is a refusal, which neither rejects the code nor blames the endpoint",
        arguments: [
            (403, "{}"), (400, #"{"error":"invalid_grant","error":"x"}"#), (400, #"{"error":""}"#),
            (400, #"{"error":null}"#), (400, #"{"error":7}"#), (400, #"{"message":"Bad Request","status":400}"#),
            (
                400,
                #"{"error":{"message":"This authorization code has been used.","type":"OAuthException","code":100}}"#
            ),
        ])
    func noCode(_ status: Int, _ body: String) async throws {
        let failure = ProviderFailure.refusedWithoutCode(status: status)
        for server in Redemption.Server.allCases {
            try await check(.json(body, status: status), of: server, is: failure.refusal.spent)
        }
        #expect(failure.refusal.reason == .providerError && failure.advice?.contains("token_endpoint_auth") == true)
        // Facebook's answer has a code of its own.
        #expect(failure.sentence.hasPrefix("its token endpoint refuses without an error code of OAuth 2.0"))
    }

    @Test(
        "Codes and messages of single providers that can have no other meaning are read at every provider",
        arguments: [
            // Twitch.
            (400, #"{"status":400,"message":"Invalid authorization code"}"#, Refusal.codeRejected),
            (403, #"{"status":403,"message":"invalid client secret"}"#, refused(.credentials)),
            (
                400, #"{"status":400,"message":"Parameter redirect_uri does not match registered URI"}"#,
                refused(.callbackNotApproved)
            ),
            (401, #"{"error":"Unauthorized","status":401,"message":"Invalid refresh token"}"#, Refusal.codeRejected),
            // GitHub.
            (200, #"{"error":"bad_refresh_token"}"#, Refusal.codeRejected),
            // Spring, about an expired refresh token.
            (
                401, #"{"error":"invalid_token","error_description":"Invalid refresh token (expired)"}"#,
                ProviderFailure.refused(status: 401, error: "invalid_token").refusal.spent
            ),
            // Slack.
            (200, #"{"ok":false,"error":"token_revoked"}"#, Refusal.codeRejected),
            (200, #"{"ok":false,"error":"invalid_code"}"#, Refusal.codeRejected),
            (200, #"{"ok":false,"error":"code_already_used"}"#, Refusal.codeRejected),
            (200, #"{"ok":false,"error":"bad_redirect_uri"}"#, refused(.callbackNotApproved)),
            // Okta.
            (
                400,
                #"{"errorCode":"invalid_client","errorSummary":"A client_id must be provided in the request.","errorId":"oae"}"#,
                refused(.credentials)
            ),
            // Microsoft Entra.
            (
                400,
                #"{"error":"invalid_request","error_description":"AADSTS9002327: Tokens issued for the 'Single-Page Application' "#
                    + #"client-type may only be redeemed via cross-origin requests.","error_codes":[9002327]}"#,
                refused(.singlePageApplication)
            ),
            (400, #"{"error":"invalid_request","error_codes":[9002325]}"#, refused(.singlePageApplication)),
            (400, #"{"error":"unauthorized_client","error_codes":[700016]}"#, refused(.unknownClient)),
            (
                401,
                #"{"error":"invalid_client","error_description":"AADSTS700025: Client is public","error_codes":[700025]}"#,
                refused(.publicClient)
            ),
            (
                400, #"{"error":"invalid_request","error_codes":[900144,"x"]}"#,
                ProviderFailure.refused(status: 400, error: "invalid_request 900144").refusal.spent
            ),
        ])
    func words(_ status: Int, _ body: String, _ refusal: Refusal) async throws {
        try await check(.json(body, status: status), of: .generic, is: refusal)
    }

    @Test(
        "What gateways in front of a token endpoint send is read as a refusal",
        arguments: [
            (
                400, #"{"error_description":"Access Code already used","error":"access_denied"}"#,
                ProviderFailure.refused(status: 400, error: "access_denied").refusal.spent
            ),
            (
                400, #"{"ErrorCode":"invalid_request","Error":"Invalid Authorization Code"}"#,
                ProviderFailure.refused(status: 400, error: "invalid_request").refusal.spent
            ),
            (400, #"{"ErrorCode":"invalid_grant","Error":"Expired"}"#, Refusal.codeRejected),
            (401, #"{"fault":{"detail":{"errorcode":"oauth.v2.InvalidClientIdentifier"}}}"#, refused(.credentials)),
            (
                400, #"{"error_type":"OAuthException","code":400,"error_message":"Matching code was not found."}"#,
                ProviderFailure.refusedWithoutCode(status: 400).refusal.spent
            ),
            // An edge server, and not the provider.
            (520, "", ProviderFailure.failed(status: 520).refusal.spent),
        ])
    func gateways(_ status: Int, _ body: String, _ refusal: Refusal) async throws {
        try await check(.json(body, status: status), of: .generic, is: refusal)
    }

    private static func refused(_ refusal: ClientRefusal) -> Refusal {
        ProviderFailure.refusedClient(refusal).refusal.spent
    }

    @Test(
        "An error code is read wherever a provider writes it",
        arguments: [
            #"{"errors":[{"errorType":"CODE","message":"x"}],"success":false}"#, #"{"errors":[{"code":"CODE"}]}"#,
            #"{"errors":["CODE"]}"#, #"{"errors":{"code":"CODE"}}"#, #"{"error":{"code":"CODE"}}"#,
            #"{"error":{"type":"CODE"}}"#, #"{"error_type":"CODE"}"#, #"{"error_code":"CODE"}"#, #"{"code":"CODE"}"#,
            #"{"statusCode":400,"error":"Bad Request","code":"CODE"}"#, #"{"fault":{"code":"CODE"}}"#,
            #"{"detail":{"error":"CODE"}}"#,
        ])
    func codeElsewhere(_ body: String) async throws {
        for (code, refusal) in [
            ("invalid_grant", Refusal.codeRejected), ("invalid_client", Self.refused(.credentials)),
            ("redirect_uri_mismatch", Self.refused(.callbackNotApproved)),
            ("invalid_request", ProviderFailure.refused(status: 400, error: "invalid_request").refusal.spent),
        ] {
            try await check(
                .json(body.replacing("CODE", with: code), status: 400), of: .generic, is: refusal)
        }
        try await check(
            .json(body.replacing("CODE", with: "invalid_grant")), of: .generic, is: Refusal.codeRejected)
    }

    @Test("The advice on a rejected code names what an application has to do that posts codes")
    func postedCode() {
        let advice = (Refusal.codeRejected.cause as? any AdvisingCause)?.advice
        #expect(advice?.contains("has to request them with client_id of the section, and to post their") == true)
    }

    @Test(
        "If a code without a code verifier is rejected and the provider names one, the advice is pkce",
        arguments: [
            ("PKCE code verifier not specified", true), ("Missing parameter: code_verifier", true),
            ("Code not valid", false),
        ])
    func demandedCodeVerifier(_ words: String, _ isNamed: Bool) async throws {
        for verifier in [nil, Redemption.verifier] {
            let redemption = try Redemption(.generic)
            redemption.script(
                .json(#"{"error":"invalid_grant","error_description":"\#(words)"}"#, status: 400))
            let refusal = await #expect(throws: Refusal.self) { try await redemption.redeem(verifier: verifier) }
            let isAdvised = isNamed && verifier == nil
            #expect(refusal?.reason == .codeRejected && refusal?.concernsOperator == isAdvised)
            #expect(
                ((refusal?.cause as? any AdvisingCause)?.advice?.contains("write pkce: S256") ?? false) == isAdvised)
        }
    }

    @Test(
        "A 401 without a known code is about the client credentials (RFC 6749 §5.2), and its advice names token_endpoint_auth",
        arguments: [
            // Nextcloud, and a server that only sends WWW-Authenticate.
            #"{"message":""}"#, "", "{}", "Unauthorized",
            #"{"error":"unauthorized","error_description":"Bad credentials"}"#,
            #"{"statusCode":401,"message":"Invalid client credentials","error":"Unauthorized"}"#,
            #"{"error":"access_denied","error_description":"Unauthorized"}"#,
        ])
    func unauthorized(_ body: String) async throws {
        try await check(
            .body(body, type: nil, status: 401, header: [HeaderField("WWW-Authenticate", #"Basic realm="OAuth""#)]),
            is: Self.refused(.credentials))
        #expect(ClientRefusal.credentials.advice.contains("try the other value of token_endpoint_auth"))
        #expect(ClientRefusal.credentials.advice.contains("for a client without a secret only none"))
    }

    @Test("An unknown error code is named if it consists of words, and cannot be a credential")
    func unknownCodes() async throws {
        for (code, name) in [
            ("invalid_auth", "invalid_auth"), ("team_not_on_plan", "team_not_on_plan"), ("denied", "of another name"),
            ("s3cret_value", "of another name"), ("a_b", "of another name"),
            ("xyz_abcdefghijklmnopq", "of another name"),
        ] {
            try await check(
                .json(#"{"error":"\#(code)"}"#, status: 400), of: .generic,
                is: ProviderFailure.refused(status: 400, error: name).refusal.spent)
        }
        let advice = ProviderFailure.malformedResponse("id_token").advice
        #expect(advice?.contains("protocol: oauth2") == true && ProviderFailure.malformedResponse("sub").advice == nil)
    }

    @Test("A 401 with another code of the standard keeps it")
    func namedUnauthorized() async throws {
        try await check(
            .json(#"{"error":"invalid_request"}"#, status: 401), of: .generic,
            is: ProviderFailure.refused(status: 401, error: "invalid_request").refusal.spent)
        try await check(.json(#"{"error":"invalid_grant"}"#, status: 401), of: .generic, is: Refusal.codeRejected)
    }

    @Test(
        "A refusal of this server's client does not reject the code, in upper and lower case",
        arguments: [
            "invalid_client", "INVALID_CLIENT", "INVALID_CLIENT_SECRET", "invalid_client_secret",
            "Unauthorized_Client", "INVALID_CONSUMER_KEY", "DELETED_CONSUMER_KEY", "DISABLED_CONSUMER_KEY",
        ])
    func refusedClient(_ error: String) async throws {
        for status in [400, 401] {
            try await check(
                .json(#"{"error":"\#(error)"}"#, status: status),
                is: ProviderFailure.refusedClient(.credentials).refusal.spent)
        }
    }

    @Test(
        "A rejected code with percent-encoded characters is told as such, whatever the provider says",
        arguments: [true, false])
    func encodedCode(_ isEncoded: Bool) async throws {
        let redemption = try Redemption(.generic)
        redemption.script(
            .json(#"{"error":"invalid_grant","error_description":"Malformed auth code."}"#, status: 400))
        let refusal = await #expect(throws: Refusal.self) {
            try await redemption.redeem(code: isEncoded ? "4%2F0AWtgzh7abc" : "4/0AWtgzh7abc")
        }
        #expect(refusal?.reason == .codeRejected && refusal?.words?.contains("Malformed auth code") == true)
        #expect(refusal?.description.contains("Decode the query of the redirect once") == isEncoded)
        #expect(refusal?.finding?.contains("has to decode it once") == isEncoded)
    }

    @Test("A refused grant type is told as such, and not as wrong client credentials")
    func grantType() async throws {
        let body = #"{"error":"unsupported_grant_type","hint":"Check that all required parameters have been provided"}"#
        try await check(.json(body, status: 400), is: Self.refused(.grantType))
        #expect(ClientRefusal.grantType.advice.hasPrefix("Allow this client the grant type authorization_code"))
    }

    @Test(
        "A response of an OpenID provider without a usable ID token is refused, and the operator reads what it has",
        arguments: [
            (
                #"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#,
                "its members are access_token, expires_in, token_type"
            ),
            (#"{"access_token":"a","id_token":5}"#, "it is a number"),
            (#"{"access_token":"a","id_token":""}"#, "it is empty"),
            (#"{"access_token":"a","id_token":null}"#, "its members are access_token"),
            (#"{"access_token":"a","id_token":["i"]}"#, "it is a list"),
        ])
    func withoutIDToken(_ body: String, _ found: String) async throws {
        let failure = ProviderFailure.malformedResponse("id_token", found: found)
        try await check(.json(body), of: .generic, is: failure.refusal.spent)
        #expect(failure.advice?.hasPrefix("An ID token needs the scope openid") == true)
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
            #expect(Refusal(error) == ProviderFailure.refused(status: 400, error: "of another name").refusal.spent)
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
