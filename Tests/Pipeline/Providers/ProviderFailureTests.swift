import JOSE
import Jansson
import Providers
import Standards
import Support
import Testing
import Transport

@Suite("Failures of a provider")
struct ProviderFailureTests {
    @Test(
        "The status decides: 429 is throttled, 503 unavailable, any other a failure",
        arguments: [
            (429, ProviderFailure.throttled(retryAfter: nil)), (503, .unavailable(retryAfter: nil)),
            (302, .failed(status: 302)), (402, .refusedClient(.credit)), (500, .failed(status: 500)),
            (502, .failed(status: 502)),
        ])
    func statuses(_ status: Int, _ failure: ProviderFailure) {
        #expect(ProviderFailure(OutboundResponse(status: status)) == failure)
    }

    @Test(
        "Retry-After is read in seconds: the log has them, and a client waits for a minute at most",
        arguments: [
            ("0", 0), ("7", 7), ("60", 60), ("300", 300), ("99999999999", 99_999_999_999), ("-1", nil), ("soon", nil),
            ("Fri, 31 Dec 1999 23:59:59 GMT", nil), ("99999999999999999999999", nil),
        ] as [(String, Int64?)])
    func retryAfter(_ text: String, _ seconds: Int64?) {
        let header = [HeaderField("retry-after", text)]
        #expect(ProviderFailure(OutboundResponse(status: 429, header: header)) == .throttled(retryAfter: seconds))
        #expect(ProviderFailure(OutboundResponse(status: 503, header: header)) == .unavailable(retryAfter: seconds))
        let pause = seconds.map { ", and asks for a pause of \($0) s (Retry-After)" } ?? ""
        #expect(
            ProviderFailure.throttled(retryAfter: seconds).sentence
                == "it receives too many requests (status 429)\(pause)")
        #expect(
            ProviderFailure.unavailable(retryAfter: seconds).sentence == "it cannot answer now (status 503)\(pause)")
        #expect(
            ProviderFailure.unavailable(retryAfter: seconds).refusal.detail == .retryAfter(min(seconds ?? 5, 60)))
    }

    @Test(
        "A credential stays usable if nothing arrived, or if the provider refused for now",
        arguments: [
            (ProviderFailure.noAnswer(.unreachable(host: "h")), true), (.noAnswer(.untrusted(host: "h")), true),
            (.noAnswer(.refusedURL), true), (.noAnswer(.overloaded(host: "h")), true),
            (.noAnswer(.proxyFailed(proxy: "p:3128", host: "h", status: 407)), true),
            (.noAnswer(.timedOut(host: "h", requestSent: false)), true),
            (.noAnswer(.cancelled(requestSent: false)), true), (.throttled(retryAfter: 1), true),
            (.unavailable(retryAfter: nil), true), (.document(.malformed), true),
            (.noAnswer(.timedOut(host: "h", requestSent: true)), false),
            (.noAnswer(.cancelled(requestSent: true)), false), (.noAnswer(.interrupted(host: "h")), false),
            (.noAnswer(.tooLarge(host: "h")), false), (.noAnswer(.notHTTP(host: "h")), false),
            (.failed(status: 500), false), (.failed(status: 302), false), (.refusedClient(.credentials), false),
            (.accountDisabled, false),
            (.malformedResponse("scope"), false),
        ])
    func unspent(_ failure: ProviderFailure, _ isUnspent: Bool) {
        #expect(failure.leavesCredentialUnspent == isUnspent)
    }

    @Test("The advice on a status and on an error code of its own is not that on another one")
    func ownAdvice() {
        func advice(_ failure: ProviderFailure) -> String { failure.advice ?? "" }
        let form = "RFC 6749 section 4.1.3 demands that the endpoint reads forms"
        for failure in [
            ProviderFailure.notTokenEndpoint(status: 415), .refused(status: 415, error: "unsupported_media_type"),
            .refusedWithoutCode(status: 415),
        ] {
            #expect(advice(failure).hasPrefix(form))
        }
        for error in ["server_error", "temporarily_unavailable 90009"] {
            #expect(advice(.refused(status: 400, error: error)) == advice(.failed(status: 500)))
        }
        #expect(advice(.failed(status: 500)).contains("reports an error of its own"))
        for error in [TransportError.notHTTP(host: "h"), .tooLarge(host: "h")] {
            #expect(advice(.noAnswer(error)).hasPrefix("Compare host, port and path of the URL"))
            #expect(advice(.document(.unreachable(error))) == error.advice)
        }
        #expect(advice(.failed(status: 501)).hasPrefix("Compare the address of the call"))
        #expect(advice(.refused(status: 400, error: "slow_down")).hasPrefix("Look for the error code"))
        #expect(advice(.noAnswer(.overloaded(host: "h"))).contains("max_calls of its section (256 by default)"))
    }

    private static let code = "SplxlOBeZQQYbYS6WxSbIA"
    private static let secret = "s3cr3t+value/of=app"

    private static func words(_ description: String, in member: String = "error_description") -> String? {
        let request = OutboundRequest(
            .post, "https://op.example/token",
            header: [
                HeaderField("Authorization", BasicAuthorization.field(clientID: "app", clientSecret: Secret(secret)))
            ],
            body: Array(
                Parameters([
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "https://app.example/cb"),
                    ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
                ]).encoded.utf8))
        let body = JSON.object([member: .string(description)]).serialized()
        return ProviderWords.of(OutboundResponse(status: 400, body: Array(body)), to: request)
    }

    @Test(
        "EX-20: What a provider says contains no credential of the request, in whatever spelling the provider repeats it",
        arguments: [
            code, String(code.prefix(8)), String(code.suffix(9)), code.lowercased(), secret,
            PercentEncoding.encode(secret), PercentEncoding.encode(PercentEncoding.encode(secret)),
            "s3cr3t%2bvalue%2fof%3dapp", "s3cr3t value/of=app",
            code.utf8.map { "%" + String($0, radix: 16) }.joined(), "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            Base64.encode(Array(("app:" + PercentEncoding.encode(secret)).utf8)),
        ])
    func echo(_ echo: String) {
        #expect(Self.words("Value <\(echo)> is unknown") == "error_description: Value [left out] is unknown")
    }

    @Test(
        "The sentence may stand in any of these members",
        arguments: ["description", "message", "errorSummary", "detail"])
    func member(_ name: String) {
        #expect(Self.words("client is not authorized", in: name) == "\(name): client is not authorized")
    }

    @Test("What is no credential stays: the redirect URI, and parts of fewer than eight octets")
    func noEcho() {
        #expect(
            Self.words("https://app.example/cb is not registered, SplxlOB")
                == "error_description: https://app.example/cb is not registered, SplxlOB")
    }

    @Test(
        "A value of blanks, or of fewer than four octets, is no credential",
        arguments: [
            (" ", "Invalid abc or abcd"), ("          ", "Invalid abc or abcd"), ("abc", "Invalid abc or abcd"),
            ("abcd", "Invalid abc or [left out]"),
        ])
    func shortValue(_ code: String, _ words: String) {
        let request = OutboundRequest(
            .post, "https://op.example/token", body: Array(Parameters([("code", code)]).encoded.utf8))
        let body = Array(#"{"error":"invalid_grant","error_description":"Invalid abc or abcd"}"#.utf8)
        #expect(
            ProviderWords.of(OutboundResponse(status: 400, body: body), to: request)
                == "error: invalid_grant; error_description: \(words)")
    }

    @Test("A key in a header field of the request is a credential as well")
    func headerField() {
        let request = OutboundRequest(
            .get, "https://op.example/me",
            header: [HeaderField("Accept", "application/json"), HeaderField("x-api-key", "correcthorse")])
        let body = Array(#"{"error":"the key correcthorse is no application/json"}"#.utf8)
        #expect(
            ProviderWords.of(OutboundResponse(status: 403, body: body), to: request)
                == "error: the key [left out] is no application/json")
    }

    @Test(
        "EX-20: Only words, short numbers and codes remain of what a provider says",
        arguments: [
            ("AADSTS65004: declined. Trace 12345678", "AADSTS65004: declined. Trace 12345678"),
            ("AADB2C90118: forgotten", "AADB2C90118: forgotten"), ("AADB2C9011: x", "[left out] x"),
            ("<script>alert(1)</script>", "[left out]"), ("https://elsewhere.example/x", "[left out]"),
            ("token 9a0bc2d4e6f8 of canary0011", "token [left out] of [left out]"),
            ("(invalid) 'grant_type', 123456789!", "(invalid) 'grant_type', [left out]"),
            ("sandbox-yahoo-secret-of-ours", "[left out]"), ("ungültiger Code", "ungültiger Code"),
            // Codes and paths of known words.
            (
                "account_selection_required, unsupported_response_mode",
                "account_selection_required, unsupported_response_mode"
            ),
            ("(incorrect_client_credentials)", "(incorrect_client_credentials)"),
            ("unmet_authentication_requirements", "unmet_authentication_requirements"),
            ("ACCESS_TOKEN_GENERATION_FAILED", "ACCESS_TOKEN_GENERATION_FAILED"),
            ("InvalidAuthenticationToken: x", "InvalidAuthenticationToken: x"),
            ("OAUTH_APPROVAL_ERROR_GENERIC", "OAUTH_APPROVAL_ERROR_GENERIC"),
            ("OAUTH_AUTHORIZATION_BLOCKED", "OAUTH_AUTHORIZATION_BLOCKED"),
            ("Errors.AuthRequest.NotFound", "Errors.AuthRequest.NotFound"),
            (
                "Use the /organizations or /common endpoint and/or version 2.0.",
                "Use the /organizations or /common endpoint and/or version 2.0."
            ),
            // What is as long and not of known words may be random: a code, a token, a secret in words, an address.
            ("account_selection_qjxkvwzpbmfgh", "[left out]"), ("accountselectionrequiredtoken", "[left out]"),
            ("correct_horse_battery_staple", "[left out]"), ("refresh_token_abcdefghijklmnop", "[left out]"),
            ("CORRECT_HORSE_BATTERY_STAPLE", "[left out]"), ("CorrectHorseBatteryStaple", "[left out]"),
            ("QjxkvwzPbmfghTokenRequestUri", "[left out]"), ("ACCESSTOKENGENERATIONFAILED", "[left out]"),
            ("Errors.AuthRequest.Qjxkvwzpb", "[left out]"),
            ("invalid_grant_x2tzunc9", "[left out]"), ("Account_Selection_Required_Token", "[left out]"),
            ("account_selection_required/ann", "[left out]"), ("/home/Ann", "[left out]"), ("/users/42", "[left out]"),
            ("/abcdefghijklmnopqrstuvwxyz", "[left out]"), ("/a/b/c/d", "[left out]"), ("4/p7q7w91a", "[left out]"),
            ("//evil", "[left out]"), ("10.0.0.1", "[left out]"), ("2.0.1", "[left out]"), ("203.0", "[left out]"),
            ("1.0ab", "[left out]"), ("OAuth 1.0a", "OAuth 1.0a"),
            ("ann_example@mail.example", "[left out]"), ("c2VjcmV0/dmFsdWU", "[left out]"),
        ])
    func onlyWords(_ description: String, _ shown: String) {
        #expect(Self.words(description) == "error_description: \(shown)")
    }

    @Test(
        "A provider also says it in a line of text, in WWW-Authenticate, in the title of a page, or in the call of a function",
        arguments: [
            (
                403, "User not registered in the Developer Dashboard", nil,
                "message: User not registered in the Developer Dashboard"
            ),
            (500, "error code: 1016\n", nil, "message: error code: 1016"),
            (
                403, "", #"Bearer error="insufficient_scope", error_description="openid is missing", scope="openid""#,
                "error: insufficient_scope; error_description: openid is missing; required_scopes: openid"
            ),
            (400, #"{"client_id":["Value is no id."]}"#, nil, "details: client_id: Value is no id."),
            (400, #"{"errors":{"client_id":["Value is no id."]}}"#, nil, "details: client_id: Value is no id."),
            (
                422, #"{"detail":[{"loc":["body","client_id"],"msg":"field required","input":"a"}]}"#, nil,
                "msg: field required; loc: body, client_id"
            ),
            (400, #"{"detail":{"error":"invalid_grant"}}"#, nil, "error: invalid_grant"),
            (
                401, #"{"error":"Ask the owners","developer_message":"No user"}"#, nil,
                "error: Ask the owners; developer_message: No user"
            ),
            (401, #"{"cause":"INVALID_TICKET","status_code":1}"#, nil, "status_code: 1; cause: INVALID_TICKET"),
            (401, #"{"ocs":{"meta":{"message":"Not logged in"},"data":[]}}"#, nil, "message: Not logged in"),
            (401, "{}", "Bearer realm=\"a\", error=invalid_token", "error: invalid_token"),
            (401, #"{"error":"invalid_token"}"#, #"Bearer error="other""#, "error: invalid_token"),
            (401, "", #"Basic realm="OAuth""#, nil),
            (
                401, "", #"OAuth realm="a", oauth_problem="signature_invalid""#, "oauth_problem: signature_invalid"
            ),
            (
                200, "callback( {\"error\":100020,\"error_description\":\"code is reused error\"} );\n", nil,
                "error: 100020; error_description: code is reused error"
            ),
            // What may be a token is not shown, nor what is no line for people.
            (200, "sometokenofletters", nil, nil), (200, "token correcthorse", nil, nil), (200, "secret", nil, nil),
            (200, "The client_secret is wrong", nil, "message: The client_secret is wrong"),
            (200, "access 0f", nil, nil),
            (200, "\"Unknown client!\"", nil, "message: \"Unknown client!\""), (302, "Invalid client", nil, nil),
            (403, "<p>a</p>", nil, nil), (403, "{\"a\":", nil, nil),
            (403, "one\ntwo", nil, nil), (403, String(repeating: "long ", count: 103), nil, nil),
            (403, " \n", nil, nil),
            (400, "Code \(code) is used", nil, "message: Code [left out] is used"),
            (
                400,
                "<html>\r\n<head><title>400 Request Header Or Cookie Too Large</title></head>\r\n<body>a</body></html>",
                nil,
                "title: 400 Request Header Or Cookie Too Large"
            ),
            (403, "<!DOCTYPE html><TITLE lang=\"en\">Just a moment...</TITLE>", nil, "title: Just a moment..."),
            (200, "<html><title>Log in to &quot;continue&quot;</title>", nil, "title: Log in to \"continue\""),
            (401, "<html><title>Unauthorized</title>", "Bearer error=invalid_token", "error: invalid_token"),
            (403, "<html><title>\(code)</title>", nil, "title: [left out]"),
        ] as [(Int, String, String?, String?)])
    func otherForms(_ status: Int, _ body: String, _ challenge: String?, _ words: String?) {
        let request = OutboundRequest(.post, "https://op.example/token", body: Array("code=\(Self.code)".utf8))
        let header = challenge.map { [HeaderField("WWW-Authenticate", $0)] } ?? []
        let response = OutboundResponse(status: status, header: header, body: Array(body.utf8))
        #expect(ProviderWords.of(response, to: request) == words)
    }

    @Test("What a provider says is short and visible, and an encoding in many layers is left out")
    func visibleWords() {
        #expect(Self.words("a\u{1B}[31m\u{202E}b\nc é 中") == "error_description: a [left out] c é 中")
        let long = Self.words(String(repeating: "long ", count: 200))
        #expect(long?.count == 600 && long?.hasSuffix("...") == true)
        // Authelia's sentence ends with the method to write.
        let sentence =
            "Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication "
            + "method). The request was determined to be using 'token_endpoint_auth_method' method 'client_secret_basic', however the "
            + "OAuth 2.0 client registration does not allow this method. The registered client with id 'kitchenowl' is configured to "
            + "only support 'token_endpoint_auth_method' method 'client_secret_post'."
        #expect(Self.words(sentence)?.contains("method 'client_secret_post'") == true)
        #expect(Self.words("100 % of %41") == "error_description: 100 % of A")
        #expect(Self.words("%" + String(repeating: "25", count: 9) + "41") == "[left out]")
    }

    @Test(
        "A refusal is permanent; every other failure may be temporary",
        arguments: [
            (ProviderFailure.noAnswer(.interrupted(host: "h")), true), (.throttled(retryAfter: nil), true),
            (.unavailable(retryAfter: 1), true), (.document(.malformed), true), (.failed(status: 299), false),
            (.failed(status: 301), false), (.failed(status: 399), false),
            (.failed(status: 400), false), (.failed(status: 403), false), (.failed(status: 408), true),
            (.failed(status: 425), true), (.failed(status: 499), false), (.failed(status: 500), true),
            (.failed(status: 502), true), (.failed(status: 504), true), (.failed(status: 501), false),
            (.failed(status: 505), false), (.failed(status: 204), false), (.failed(status: 206), false),
            (.refusedClient(.accessTier), false), (.accountDisabled, false), (.malformedResponse("id"), false),
        ])
    func passing(_ failure: ProviderFailure, _ isPassing: Bool) {
        #expect(failure.isPassing == isPassing)
    }

    @Test(
        "A code in the body of a refusal says more than its status, and one that is unknown says nothing",
        arguments: [
            (403, #"{"errors":[{"code":64}]}"#, ProviderFailure.accountDisabled),
            (404, #"{"errors":[{"code":50}]}"#, .accountDisabled),
            (403, #"{"errors":[{"code":453},{"code":63}]}"#, .accountDisabled),
            (403, #"{"errors":[{"code":1},{"code":453}]}"#, .refusedClient(.accessTier)),
            (401, #"{"errors":[{"code":135}]}"#, .refusedClient(.clock)),
            (403, #"{"type":"https://api.twitter.com/2/problems/client-forbidden"}"#, .refusedClient(.accessTier)),
            (
                403,
                #"{"detail":"The user used for authentication is suspended","type":"https://api.twitter.com/2/problems/user-suspended"}"#,
                .accountDisabled
            ),
            (403, #"{"reason":"client-not-enrolled","type":"about:blank"}"#, .refusedClient(.enrolment)),
            (403, #"{"type":"https://x/problems/usage-capped","reason":"other"}"#, .refusedClient(.credit)),
            // Real-world 28: an unknown reason says more than the general type.
            (
                403,
                #"{"type":"https://api.x.com/2/problems/client-forbidden","reason":"user-not-enrolled","title":"x"}"#,
                .refusedClient(.enrolment)
            ),
            (
                403, #"{"type":"https://api.x.com/2/problems/client-forbidden","reason":"something-new"}"#,
                .refusedClient(.unknownReason)
            ),
            (
                403, #"{"title":"Forbidden","type":"about:blank","status":403,"detail":"Forbidden"}"#,
                .failed(status: 403)
            ),
            // Real-world 27: the codes in XML.
            (
                403, #"<?xml version="1.0"?><errors><error code="415">Callback URL not approved</error></errors>"#,
                .refusedClient(.callbackNotApproved)
            ),
            (403, "\n<errors><error  code='417'>x</error></errors>", .refusedClient(.callbackNotApproved)),
            (401, #"<errors><error code="135">Timestamp out of bounds.</error></errors>"#, .refusedClient(.clock)),
            (403, #"<errors><error code="87">x</error></errors>"#, .refusedClient(.accessTier)),
            (401, #"<errors><error code="32">x</error></errors>"#, .failed(status: 401)),
            (403, #"<errors><error code="64">x</error></errors>"#, .accountDisabled),
            (403, #"<html><body>code="415"</body></html>"#, .failed(status: 403)),
            (403, #"code="415""#, .failed(status: 403)),
            (402, #"{"errors":[{"code":1}]}"#, .refusedClient(.credit)), (403, "<html>", .failed(status: 403)),
            (403, #"{"errors":[{"code":"64"}]}"#, .failed(status: 403)),
            (403, #"{"errors":{"code":64},"type":64}"#, .failed(status: 403)),
            // A status that is no refusal is not judged by its body.
            (500, #"{"errors":[{"code":64}]}"#, .failed(status: 500)),
            (429, #"{"errors":[{"code":64}]}"#, .throttled(retryAfter: nil)),
            (429, #"{"type":"https://x/problems/usage-capped"}"#, .refusedClient(.credit)),
            (429, #"{"type":"about:blank","title":"Too Many Requests"}"#, .throttled(retryAfter: nil)),
        ])
    func codes(_ status: Int, _ body: String, _ failure: ProviderFailure) {
        let response = OutboundResponse(status: status, body: Array(body.utf8))
        #expect(ProviderFailure(response, codes: TwitterTemplate.errorCodes) == failure)
        if case .accountDisabled = failure {
            #expect(ProviderFailure(response) == .failed(status: status), "Only where codes are known.")
        }
    }
}
