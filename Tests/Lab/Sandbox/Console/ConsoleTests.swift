import Jansson
import Sandbox
import Testing
import Transport

@Suite("Console")
struct ConsoleTests {
    private static let description = #"""
        {"openapi": "3.1.0", "paths": {
          "/v1/nonce": {"post": {"operationId": "nonce", "summary": "Issues a <nonce>.",
            "requestBody": {"content": {"application/json": {
              "schema": {"$ref": "#/components/schemas/Nonce"},
              "examples": {"Yahoo": {"value": {"client_id": "my-app", "provider": "yahoo.com"}},
                           "X": {"value": {"client_id": "my-app", "provider": "twitter.com"}}}}}},
            "responses": {"200": {"content": {"application/json": {}}}}, "x-reasons": []}},
          "/v1/exchange": {"post": {"operationId": "exchange", "summary": "Exchanges.",
            "requestBody": {"content": {"application/json": {
              "schema": {"$ref": "#/components/schemas/Exchange"},
              "examples": {"ID token": {"value": {"client_id": "my-app", "credential":
                {"type": "id_token", "id_token": "eyJ", "nonce": "NONCE-VERIFIER", "factors": [1]}}}}}}},
            "responses": {"200": {"content": {"application/json": {}}}}, "x-reasons": []}},
          "/v1/account": {"get": {"operationId": "account", "summary": "Returns the account.",
            "parameters": [{"in": "query", "name": "client_id"}],
            "responses": {"200": {"content": {"application/json": {}}}}, "x-reasons": ["id_token_missing"]}},
          "/token": {"post": {"operationId": "token", "summary": "Redeems.",
            "requestBody": {"content": {"application/x-www-form-urlencoded": {
              "schema": {"type": "object"}, "examples": {"code": {"value": {"grant_type": "a b", "code": "c&d"}}}}}},
            "responses": {"200": {"content": {"application/json": {}}}}, "x-reasons": []}},
          "/v1/account/factors": {"post": {"operationId": "add_factor", "responses": {"200": {"content":
            {"application/json": {}}}}}},
          "/v1/account/factors/confirm": {"post": {"operationId": "confirm_factor",
            "requestBody": {"content": {"application/json": {"examples": {"code": {"value": {"totp": "287082"}}}}}},
            "responses": {"200": {"content": {"application/json": {}}}}}},
          "/v1/account/signout": {"post": {"operationId": "signout", "responses": {"200": {"content":
            {"application/json": {}}}}}},
          "/device": {"get": {"operationId": "device", "responses": {"200": {"content": {"text/html": {}}}}}}},
         "components": {"schemas": {
          "Nonce": {"properties": {"client_id": {"type": "string"}, "provider": {"type": "string"},
                                   "scopes": {"type": "array"}}},
          "Exchange": {"properties": {"client_id": {"type": "string"}, "credential": {"oneOf": [
            {"properties": {"type": {"const": "code"}, "code": {"type": "string"}}},
            {"properties": {"type": {"const": "id_token"}, "id_token": {"type": "string"}, "nonce": {"type": "string"},
                            "access_token": {"type": "string"}, "factors": {"type": "array"}}}]}}}}}}
        """#

    private static func visit(_ body: @escaping @Sendable (HomeVisitor) async throws -> Void) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.server.answer("/openapi.json", OutboundResponse(status: 200, body: Array(description.utf8)))
            try await body(visitor)
        }
    }

    /// The names and values of the visible fields.
    private static func fields(_ page: String) -> [String: String] {
        Dictionary(
            page.matches(of: /<input id="[^"]*" name="([^"]*)" value="([^"]*)"/).map {
                (String($0.output.1), String($0.output.2).replacing("&quot;", with: "\""))
            }, uniquingKeysWith: { $1 })
    }

    private static func send(_ visitor: HomeVisitor, _ form: [(String, String)]) async throws -> String {
        let reply = try await visitor.press("/console", form)
        #expect(reply.status == 303)
        return String(try #require(reply[field: "location"]).prefix { $0 != "#" })
    }

    @Test("It lists the operations that answer in JSON, and those of the sandbox, by task")
    func list() async throws {
        try await Self.visit { visitor in
            let page = try await visitor.get("/console").text
            let items = page.matches(of: /<h3>([^<]*)<\/h3>|<code>((?:GET|POST) [^<]*)<\/code><\/a>/)
            #expect(
                items.map { String($0.output.1 ?? $0.output.2 ?? "") } == [
                    "Sign in", "POST /token", "POST /v1/exchange", "POST /v1/nonce", "Accounts", "GET /v1/account",
                    "POST /v1/account/signout", "Second factors", "POST /v1/account/factors",
                    "POST /v1/account/factors/confirm",
                    "The provider’s library and Firebase, as stand-ins", "POST /issue", "POST /google/sign-in",
                    "POST /google/refresh",
                ])
            #expect(page.contains("Issues a &lt;nonce&gt;."))
            #expect(try await visitor.get("/").text.contains("href=\"/console\""))
        }
    }

    @Test("A form has the members of the example, and empty fields for the others of the schema")
    func form() async throws {
        try await Self.visit { visitor in
            let nonce = try await visitor.get("/console?operation=POST%20/v1/nonce&example=X").text
            #expect(
                Self.fields(nonce) == [
                    "text:client_id": "my-app", "text:provider": "twitter.com", "json:scopes": "",
                ])
            let exchange = try await visitor.get("/console?operation=POST%20/v1/exchange").text
            #expect(
                Self.fields(exchange) == [
                    "text:client_id": "my-app", "text:credential.type": "id_token",
                    "text:credential.id_token": "eyJ", "text:credential.nonce": "NONCE-VERIFIER",
                    "json:credential.factors": "[1]", "text:credential.access_token": "",
                ])
            let account = try await visitor.get("/console?operation=GET%20/v1/account").text
            #expect(Self.fields(account) == ["query:client_id": "", "bearer:": ""])
            #expect(await visitor.server.requests.allSatisfy { $0.url.hasSuffix("/openapi.json") })
        }
    }

    @Test("A link with a body opens the form with exactly this body")
    func link() async throws {
        try await Self.visit { visitor in
            let body = #"{"client_id":"a \"b\"","credential":{"type":"id_token","factors":[1,{"a":null}]}}"#
            let page = try await visitor.get(
                "/console?operation=POST%20/v1/exchange&body=" + SandboxClient.encoded(body)
            ).text
            _ = try await visitor.press(
                "/console", Self.fields(page).map { ($0.key, $0.value) } + [("operation", "POST /v1/exchange")])
            let sent = try #require(await visitor.server.requests(at: "/v1/exchange").last)
            #expect(sent.json == (try JSON.parse(Array(body.utf8))))
        }
    }

    @Test("The answer has status, header, body and every token decoded, and the request can be replayed")
    func answer() async throws {
        try await Self.visit { visitor in
            await visitor.server.answer(
                "/v1/exchange",
                OutboundResponse(
                    status: 200, header: [HeaderField("X-Request-Id", "<4711>")], body: HomeVisitor.success.serialized()
                ))
            await visitor.server.refuse("/v1/exchange", "replayed")
            let location = try await Self.send(
                visitor,
                [
                    ("operation", "POST /v1/exchange"), ("text:client_id", "my-app"),
                    ("text:credential.id_token", HomeVisitor.customToken), ("text:credential.access_token", ""),
                ])
            let sent = try #require(await visitor.server.requests(at: "/v1/exchange").last)
            #expect(
                sent.json
                    == .object([
                        "client_id": .string("my-app"),
                        "credential": .object(["id_token": .string(HomeVisitor.customToken)]),
                    ]))
            let page = try await visitor.get(location).text
            #expect(page.contains("Answered <strong>200</strong>"))
            #expect(page.contains("X-Request-Id: &lt;4711&gt;"))
            #expect(page.contains("Alice &lt;b&gt;Example"))
            #expect(page.contains("<summary><code>custom_token</code>, decoded</summary>"))
            #expect(page.contains("<summary><code>id_token</code>, decoded</summary>"))
            #expect(page.contains("2023-11-14 22:18:20 UTC"))
            let replay = try #require(page.firstMatch(of: /action="(\/runs\/[^"]*\/replay)"/))
            let replayed = try await visitor.press(String(replay.output.1))
            #expect(replayed[field: "location"] == location + "#answer")
            let again = try await visitor.get(location).text
            #expect(again.contains("<strong>Refused, as it must be.</strong> Answered <strong>400</strong>"))
        }
    }

    @Test("Values of earlier answers replace the placeholders of examples")
    func values() async throws {
        try await Self.visit { visitor in
            await visitor.answerNonce()
            let location = try await Self.send(
                visitor, [("operation", "POST /v1/nonce"), ("text:client_id", "my-app")])
            let run = try #require(location.firstMatch(of: /run=([A-Za-z0-9_-]+)/)).output.1
            let issue = try await visitor.get("/console?operation=POST%20/issue&run=\(run)").text
            #expect(Self.fields(issue)["text:nonce"] == "the-nonce")
            let sent = try await Self.send(
                visitor,
                [("run", String(run)), ("operation", "POST /issue")] + Self.fields(issue).map { ($0.key, $0.value) })
            #expect(sent.contains("run=\(run)&step=2"))
            let exchange = Self.fields(
                try await visitor.get("/console?operation=POST%20/v1/exchange&run=\(run)").text)
            #expect(exchange["text:credential.nonce"] == "the-verifier")
            #expect(exchange["text:credential.id_token"]?.hasPrefix("eyJhbGci") == true)
        }
    }

    @Test("A browser that has left the console finds its values again, unless it begins a new session")
    func memory() async throws {
        try await Self.visit { visitor in
            await visitor.answerNonce()
            let reply = try await visitor.press("/console", [("operation", "POST /v1/nonce")])
            let cookie = String(try #require(reply[field: "set-cookie"]).prefix { $0 != ";" })
            for (query, sent, nonce) in [
                ("", cookie, "the-nonce"), ("&run=", cookie, "n-0S6_WzA2Mj"), ("", nil, "n-0S6_WzA2Mj"),
            ] {
                let page = try await visitor.get("/console?operation=POST%20/issue\(query)", cookie: sent).text
                #expect(Self.fields(page)["text:nonce"] == nonce)
            }
        }
    }

    @Test("The code of an error is not taken for one to redeem")
    func codeOfError() async throws {
        try await Self.visit { visitor in
            await visitor.server.answer(
                "/v1/nonce", .object(["error": .string("invalid_request"), "code": .string("auth/internal-error")]),
                status: 400)
            let location = try await Self.send(visitor, [("operation", "POST /v1/nonce")])
            let run = try #require(location.firstMatch(of: /run=([A-Za-z0-9_-]+)/)).output.1
            let page = try await visitor.get("/console?operation=POST%20/token&run=\(run)").text
            #expect(Self.fields(page)["text:code"] == "c&amp;d")
        }
    }

    @Test("The secret of a new second factor becomes its present code")
    func secondFactor() async throws {
        try await Self.visit { visitor in
            // The secret of RFC 6238 appendix B.
            await visitor.server.answer(
                "/v1/account/factors", .object(["secret": .string("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]))
            let location = try await Self.send(visitor, [("operation", "POST /v1/account/factors")])
            let run = try #require(location.firstMatch(of: /run=([A-Za-z0-9_-]+)/)).output.1
            let page = try await visitor.get("/console?operation=POST%20/v1/account/factors/confirm&run=\(run)").text
            #expect(Self.fields(page)["text:totp"] == "921300")
        }
    }

    @Test("After a sign-out the page says what has ended, and links the requests that show it")
    func signOut() async throws {
        try await Self.visit { visitor in
            await visitor.server.answer("/v1/account/signout", .object(["sessions_revoked": .bool(true)]))
            let location = try await Self.send(visitor, [("operation", "POST /v1/account/signout")])
            let page = try await visitor.get(location).text
            let answer = try #require(page.firstMatch(of: /<section(?s:.*?)<\/section>/)).output
            #expect(
                answer.matches(of: /<code>((?:GET|POST) [^<]*)<\/code><\/a>/).map { String($0.output.1) } == [
                    "GET /v1/account", "POST /v1/account/signout", "POST /google/refresh",
                ])
        }
    }

    @Test("The Firebase ID token is the bearer, the parameter is in the query, and the token is decoded")
    func bearer() async throws {
        try await Self.visit { visitor in
            let location = try await Self.send(
                visitor,
                [
                    ("operation", "GET /v1/account"), ("bearer:", HomeVisitor.customToken), ("query:client_id", "a b"),
                ])
            let sent = try #require(await visitor.server.requests.last { $0.url.contains("/v1/account") })
            #expect(sent.url == ScriptedServer.url + "/v1/account?client_id=a%20b")
            #expect(sent.header == [HeaderField("Authorization", "Bearer " + HomeVisitor.customToken)])
            let page = try await visitor.get(location).text
            #expect(page.contains("<summary><code>Authorization</code>, decoded</summary>"))
            #expect(page.contains("No answer."))
        }
    }

    @Test("An operation with a form is sent as a form")
    func formBody() async throws {
        try await Self.visit { visitor in
            _ = try await Self.send(
                visitor, [("operation", "POST /token"), ("text:grant_type", "a b"), ("text:code", "c&d")])
            let sent = try #require(await visitor.server.requests(at: "/token").last)
            #expect(String(decoding: sent.body, as: UTF8.self) == "code=c%26d&grant_type=a%20b")
        }
    }

    @Test("Programs have the request in four languages, with every text escaped, also before it is sent")
    func programs() async throws {
        try await Self.visit { visitor in
            let form = try await visitor.get("/console?operation=POST%20/v1/nonce&example=X").text
            #expect(form.matches(of: /<details open>\n<summary>(curl|Swift|JavaScript|Python)</).count == 4)
            #expect(form.contains("--data-raw &#39;{&quot;client_id&quot;:&quot;my-app&quot;"))
            let location = try await Self.send(
                visitor, [("operation", "POST /v1/nonce"), ("text:client_id", #"it's "\(1)" $x"#)])
            let page = try await visitor.get(location).text.replacing("&quot;", with: "\"").replacing(
                "&#39;", with: "'")
            #expect(page.contains(#"--data-raw '{"client_id":"it'\''s \"\\(1)\" $x"}'"#))
            #expect(page.contains(#"Data("{\"client_id\":\"it's \\\"\\\\(1)\\\" $x\"}".utf8)"#))
            #expect(page.contains(#"body: "{\"client_id\":\"it's \\\"\\\\(1)\\\" $x\"}","#))
            #expect(page.contains(#"data="{\"client_id\":\"it's \\\"\\\\(1)\\\" $x\"}".encode(),"#))
        }
    }

    @Test("A form of another page, an unknown operation and a field that is not JSON are refused")
    func refusals() async throws {
        try await Self.visit { visitor in
            let forged = try await visitor.client.post(
                visitor.origin + "/console", form: [("operation", "POST /v1/nonce")],
                header: ["Sec-Fetch-Site: cross-site"])
            #expect(forged.status == 403)
            #expect(try await visitor.press("/console", [("operation", "POST /nothing")]).status == 404)
            #expect(try await visitor.get("/console?operation=nothing").status == 404)
            #expect(try await visitor.get("/console?operation=POST%20/v1/nonce&body=%5B%5D").status == 400)
            let unreadable = try await visitor.press(
                "/console", [("operation", "POST /v1/nonce"), ("json:scopes", "[")])
            #expect(unreadable.status == 400)
            #expect(try await visitor.press("/runs", [("scenario", "console")]).status == 404)
            #expect(await visitor.server.requests(at: "/v1/nonce").isEmpty)
        }
    }

    @Test("Without the server the page explains how to start it")
    func unreachable() async throws {
        try await HomeVisitor.visit { visitor in
            let reply = try await visitor.get("/console")
            #expect(reply.status == 503)
            #expect(reply.text.contains("scripts/run"))
        }
    }
}
