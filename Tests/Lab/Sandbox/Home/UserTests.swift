import Jansson
import Sandbox
import Testing
import Transport

@Suite("Users on the home page")
struct UserTests {
    /// The section of the front page.
    private static func section(_ visitor: HomeVisitor, _ path: String = "/") async throws -> String {
        let page = try await visitor.get(path).text
        return String(try #require(page.firstMatch(of: /<section aria-labelledby="users">(?s:.*?)<\/section>/)).output)
    }

    /// Makes the server sign a user in, and accept a second factor.
    private static func answerFactor(_ visitor: HomeVisitor) async {
        await visitor.answerNonce()
        await visitor.server.answer("/v1/exchange", HomeVisitor.success)
        await visitor.server.answer(
            "/v1/account/factors",
            .object(["factor_id": .string("f"), "secret": .string("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]))
        await visitor.server.answer("/v1/account/factors/confirm", .object([:]))
    }

    @Test("Every user has a button to reset, and one to add a second factor")
    func list() async throws {
        try await HomeVisitor.visit { visitor in
            let section = try await Self.section(visitor)
            for user in SandboxUser.all {
                #expect(section.contains("action=\"/users/\(user.key)/reset\""))
                #expect(section.contains("formaction=\"/users/\(user.key)/factor\""))
            }
            #expect(!section.contains("Second factor:"))
        }
    }

    @Test("A second factor that a button added is shown with its present and its next code, until the user is reset")
    func factor() async throws {
        try await HomeVisitor.visit { visitor in
            await Self.answerFactor(visitor)
            let added = try await visitor.press("/users/alice/factor")
            #expect(added[field: "location"] == "/?factor=alice#users")
            // The present code stays for a sign-in.
            #expect(
                await visitor.server.requests(at: "/v1/account/factors/confirm").first?.json?["totp"]
                    == .string("276857"))
            let section = try await Self.section(visitor, "/?factor=alice")
            #expect(section.contains("The account of Alice Example has a second factor now."))
            let codes = section.matches(of: /<code(?: class="totp")?>([0-9]{6})<\/code>/).map { String($0.output.1) }
            #expect(codes == ["921300", "732303"])
            #expect(section.contains("for 10 seconds"))
            #expect(!section.contains("/users/alice/factor"))

            let reset = try await visitor.press("/users/alice/reset")
            #expect(reset[field: "location"] == "/?reset=alice#users")
            #expect(!(try await Self.section(visitor).contains("Second factor:")))
        }
    }

    @Test("A reset asks for the accounts that only the home page has signed in")
    func resetOfRuns() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            _ = try await visitor.press("/runs", [("scenario", "library-yahoo")])
            _ = try await visitor.press("/users/alice/reset")
            let bearers = await visitor.server.requests(at: "/v1/account").compactMap { request in
                request.header.first { $0.name == "Authorization" }?.value.split(separator: ".").dropFirst().first
            }
            let claims = bearers.map { String(decoding: IDToken.decode(String($0)) ?? [], as: UTF8.self) }
            #expect(claims.contains { $0.contains("yahoo.com:ALICE") }, "\(claims)")
        }
    }

    @Test("A second factor that the server refuses is not shown")
    func refusedFactor() async throws {
        try await HomeVisitor.visit { visitor in
            await Self.answerFactor(visitor)
            await visitor.server.clear("/v1/account/factors/confirm")
            await visitor.server.refuse("/v1/account/factors/confirm", "second_factor_invalid")
            let reply = try await visitor.press("/users/alice/factor")
            #expect(reply[field: "location"] == "/?refused=alice#users")
            let section = try await Self.section(visitor, "/?refused=alice")
            #expect(section.contains("The server added no second factor to the account of Alice Example."))
            #expect(!section.contains("Second factor:"))
        }
    }

    @Test("The console fills in the code of the user whom it signs in")
    func console() async throws {
        try await HomeVisitor.visit { visitor in
            await Self.answerFactor(visitor)
            await visitor.server.answer(
                "/openapi.json",
                .object([
                    "paths": .object([
                        "/v1/exchange": .object([
                            "post": .object([
                                "requestBody": .object([
                                    "content": .object([
                                        "application/json": .object([
                                            "examples": .object([
                                                "code": .object(["value": .object(["totp": .string("287082")])])
                                            ])
                                        ])
                                    ])
                                ]),
                                "responses": .object([
                                    "200": .object(["content": .object(["application/json": .object([:])])])
                                ]),
                            ])
                        ])
                    ])
                ]))
            _ = try await visitor.press("/users/bjorn/factor")
            for (user, code) in [("alice", "287082"), ("bjorn", "921300")] {
                let sent = try await visitor.press(
                    "/console",
                    [("operation", "POST /issue"), ("text:provider", "yahoo.com"), ("text:user", user)])
                let cookie = String(try #require(sent[field: "set-cookie"]).prefix { $0 != ";" })
                let page = try await visitor.get("/console?operation=POST%20/v1/exchange", cookie: cookie).text
                #expect(page.contains("name=\"text:totp\" value=\"\(code)\""))
            }
        }
    }

    @Test("A number at a provider is that of a user only as a whole, with the prefix of Slack or Facebook")
    func numbers() {
        for number in ["1666", "U1666", "101666"] { #expect(SandboxUser.mallory.has(number)) }
        for number in ["16661", "21666", "U16660", "1016660"] { #expect(!SandboxUser.mallory.has(number)) }
        #expect(SandboxUser.bjorn.has("1580661436132757506") && SandboxUser.bjorn.has("132757506"))
        #expect(SandboxUser.alice.has("001667.ALICEWJNWVNQD4GXZ5NGMZUST4.0433"))
    }

    @Test("A user whom the stand-ins do not have is neither reset nor gets a second factor")
    func unknown() async throws {
        try await HomeVisitor.visit { visitor in
            for path in ["/users/nobody/reset", "/users/nobody/factor"] {
                let reply = try await visitor.press(path)
                #expect(reply.status == 404)
            }
            #expect(await visitor.server.requests.isEmpty)
        }
    }

    @Test("A sign-out shows what each device is answered afterwards, and is possible once")
    func signOut() async throws {
        let account = try TestServiceAccount()
        let token = try account.customToken()
        try await HomeVisitor.visit(google: account.settings) { visitor in
            await visitor.answerNonce()
            await visitor.server.answer(
                "/v1/exchange", .object(["custom_token": .string(token), "uid": .string("u1")]))
            let begun = try await visitor.begin("sign-out")
            #expect(try await visitor.get(begun.path).text.contains("is signed in on a phone and on a laptop"))

            await visitor.server.before("/v1/account/signout") {
                _ = try? await visitor.client.control(
                    "PUT", "/google/users",
                    .object(["uid": .string("u1"), "valid_since": .integer(SandboxClient.start + 1)]))
            }
            await visitor.server.answer("/v1/account/signout", .object(["sessions_revoked": .bool(true)]))
            await visitor.server.refuse("/v1/account/signout", "id_token_revoked", "invalid_token", status: 401)
            await visitor.server.answer("/v1/account", .object(["uid": .string("u1")]))
            #expect(try await visitor.press(begun.path + "/signout")[field: "location"] == begun.path)
            let page = try await visitor.get(begun.path).text
            let panel = try #require(page.firstMatch(of: /<h2 id="head">Signed out on every device(?s:.*?)<\/section>/))
            #expect(
                panel.output.matches(of: /Answered <strong>([0-9]+)<\/strong>(?: <code>([A-Za-z_]+)<)?/).map {
                    "\($0.output.1) \($0.output.2 ?? "")"
                } == ["400 TOKEN_EXPIRED", "400 TOKEN_EXPIRED", "200 ", "401 invalid_token"])
            _ = try await visitor.press(begun.path + "/signout")
            #expect(await visitor.server.requests(at: "/v1/account/signout").count == 2)
        }
    }
}
