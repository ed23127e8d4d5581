import OpenSSL
import Sandbox
import Testing
import Transport

@Suite("Response modes on the home page")
struct ResponseModeTests {
    private static func response(_ begun: HomeVisitor.Begun, state: String?) -> [(String, String)] {
        [
            ("code", "the-code"), ("state", state ?? begun.parameters["state"] ?? ""), ("iss", ScriptedServer.url),
        ]
    }

    /// Posts a form as the page of the server does, which has another origin.
    private static func post(
        _ form: [(String, String)], from visitor: HomeVisitor, cookie: String
    ) async throws -> Reply {
        try await visitor.client.post(
            visitor.origin + "/callback", form: form,
            header: ["Sec-Fetch-Site: same-site", "Origin: null", "Cookie: \(cookie)"])
    }

    @Test("form_post: the browser is sent to the server, and the posted code is redeemed once")
    func formPost() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer("/token", HomeVisitor.success)
            let begun = try await visitor.begin("browser-form-post")
            #expect(begun.parameters["response_mode"] == "form_post")
            let foreign = Self.response(begun, state: "another")
            #expect(try await Self.post(foreign, from: visitor, cookie: begun.cookie).status == 400)
            #expect(await visitor.server.requests(at: "/token").isEmpty)
            let form = Self.response(begun, state: nil)
            let reply = try await Self.post(form, from: visitor, cookie: begun.cookie)
            #expect(reply.status == 303)
            #expect(reply[field: "location"] == begun.path)
            #expect(await visitor.server.requests(at: "/token").first?.form["code"] == "the-code")
            #expect(try await Self.post(form, from: visitor, cookie: begun.cookie).status == 400)
            #expect(try await visitor.get(begun.path).text.contains("A custom token for"))
        }
    }

    @Test("web_message: the page of the run opens the window, and only its own script may run")
    func popUp() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-pop-up")
            #expect(begun.location == begun.path)
            let page = try await visitor.get(begun.path)
            #expect(page.text.contains("response_mode=web_message"))
            #expect(page.text.contains("target=\"sign-in\" rel=\"opener\""))
            #expect(page.text.contains("data-server=\"\(ScriptedServer.url)\""))
            let policy = page[field: "content-security-policy"] ?? ""
            #expect(policy.contains("; script-src 'sha256-") && !policy.contains("unsafe"))
            #expect(!(try await visitor.get("/").text.contains("<script")))
        }
    }
}
