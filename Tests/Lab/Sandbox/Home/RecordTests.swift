import Jansson
import Sandbox
import Testing
import Transport

@Suite("Record of the home page")
struct RecordTests {
    @Test("A replay sends the same bytes once more, and shows the refusal, its reason and the defence")
    func replay() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            await visitor.server.refuse("/v1/exchange", "replayed")
            let begun = try await visitor.begin("library-yahoo")
            let reply = try await visitor.press(begun.path + "/steps/3/replay")
            #expect(reply.status == 303)
            #expect(reply[field: "location"] == begun.path + "#step-3")
            let sent = await visitor.server.requests(at: "/v1/exchange")
            #expect(sent.count == 2)
            #expect(sent.first == sent.last)
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("<strong>Refused, as it must be.</strong> Answered <strong>400</strong>"))
            #expect(page.contains("reason <code>replayed</code>"))
            #expect(page.contains(Defence.sentence(for: "replayed") ?? "?"))
            #expect(page.contains("Replayed once."))
            // The first outcome is unchanged.
            #expect(page.contains("A custom token for"))
        }
    }

    @Test("The drawing has one arrow for each step, which leads to it and names sender and receiver")
    func drawing() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            let begun = try await visitor.begin("library-yahoo")
            let page = try await visitor.get(begun.path).text
            let drawing = try #require(page.firstMatch(of: /<svg[^>]*>(?s:.*?)<\/svg>/)).output
            #expect(
                drawing.matches(of: /href="#(step-[0-9]+)"/).map { String($0.output.1) } == [
                    "step-1", "step-2", "step-3",
                ])
            // A link to an element inside of a `details` element opens it.
            for step in 1...3 { #expect(page.contains("</summary>\n<div id=\"step-\(step)\">")) }
            #expect(
                drawing.matches(of: /class="name"[^>]*>([A-Za-z]+)</).map { String($0.output.1) }
                    == ["Application", "Server", "Provider"])
            #expect(drawing.contains("<title>Step 3: The application sends the credential to the server</title>"))
        }
    }

    @Test("The verdict comes first, with a button that sends the decisive request once more")
    func verdict() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            let begun = try await visitor.begin("library-yahoo")
            let page = try await visitor.get(begun.path).text
            let first = try #require(page.firstMatch(of: /\/steps\/([0-9]+)\/replay/))
            #expect(first.output.1 == "3")
        }
    }

    @Test("Only the verdict, the custom token and a replayed step are open")
    func folding() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            let begun = try await visitor.begin("library-yahoo")
            let open = /<details[^>]* open>\n<summary>(?:<h3>)?(?:<code>)?([^<]*)/
            var page = try await visitor.get(begun.path).text
            #expect(page.matches(of: open).map(\.output.1) == ["The custom token"])
            _ = try await visitor.press(begun.path + "/steps/1/replay")
            page = try await visitor.get(begun.path).text
            #expect(page.matches(of: open).map(\.output.1) == ["The custom token", "The application asks for a nonce"])
        }
    }

    @Test("A step that spends nothing may be replayed, and the page explains that")
    func harmless() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.refuse("/v1/exchange", "expired")
            let begun = try await visitor.begin("library-yahoo")
            _ = try await visitor.press(begun.path + "/steps/1/replay")
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("Accepted, and this is correct."))
            #expect(page.contains("Nothing was spent"))
        }
    }

    @Test("A step that is accepted twice is reported as a fault, unless it failed before")
    func accepted() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            let begun = try await visitor.begin("library-yahoo")
            _ = try await visitor.press(begun.path + "/steps/3/replay")
            #expect(try await visitor.get(begun.path).text.contains("Accepted, and this is a fault."))

            await visitor.server.clear("/v1/exchange")
            let failed = try await visitor.begin("library-yahoo")
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            _ = try await visitor.press(failed.path + "/steps/3/replay")
            #expect(try await visitor.get(failed.path).text.contains("Accepted this time."))
        }
    }

    @Test("An unknown reason is explained with the text of the server")
    func unknownReason() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.server.answer(
                "/v1/nonce",
                .object([
                    "error": .string("invalid_request"), "reason": .string("brand_new"),
                    "error_description": .string("Said by the server."),
                ]), status: 400)
            let begun = try await visitor.begin("library-yahoo")
            #expect(try await visitor.get(begun.path).text.contains("Original text: “Said by the server.”"))
        }
    }

    @Test(
        "A refusal is recognised in a page that names its reason, and in a redirect with an error",
        arguments: [
            (
                OutboundResponse(
                    status: 400, header: [HeaderField("Content-Type", "text/html; charset=utf-8")],
                    body: Array("<h1>No</h1><p>Begin anew.</p><p><code>state_mismatch</code></p>".utf8)),
                "state_mismatch"
            ),
            (
                OutboundResponse(
                    status: 303, header: [HeaderField("Location", "http://127.0.0.1:1/callback?error=access_denied")]),
                "access_denied"
            ),
        ])
    func otherShapes(response: OutboundResponse, reason: String) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            await visitor.server.answer("/v1/exchange", response)
            let begun = try await visitor.begin("library-yahoo")
            _ = try await visitor.press(begun.path + "/steps/3/replay")
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("<strong>Refused, as it must be.</strong>"))
            #expect(page.contains(Defence.sentence(for: reason) ?? "?"))
        }
    }

    @Test("The server's response is shown as text, never as HTML")
    func escaping() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.server.answer(
                "/v1/nonce",
                .object([
                    "error": .string("<script>1</script>"), "reason": .string("<script>2</script>"),
                    "error_description": .string("<script>3</script>"),
                ]), status: 400)
            let begun = try await visitor.begin("library-yahoo")
            _ = try await visitor.press(begun.path + "/steps/1/replay")
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("&lt;script&gt;3&lt;/script&gt;"))
            #expect(!page.contains("<script>"))
        }
    }

    @Test("A step or run that does not exist is not replayed")
    func absent() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.refuse("/v1/exchange", "expired")
            let begun = try await visitor.begin("library-yahoo")
            for path in [begun.path + "/steps/0/replay", begun.path + "/steps/4/replay", "/runs/none/steps/1/replay"] {
                #expect(try await visitor.press(path).status == 404)
            }
        }
    }

    @Test("The last 50 runs are kept")
    func runs() async throws {
        try await HomeVisitor.visit { visitor in
            let first = try await visitor.begin("library-yahoo")
            let second = try await visitor.begin("library-yahoo")
            for _ in 0..<49 { _ = try await visitor.begin("library-yahoo") }
            #expect(try await visitor.get(first.path).status == 404)
            #expect(try await visitor.get(second.path).status == 200)
        }
    }

    @Test("A run has at most 60 steps, and then sends no more requests")
    func steps() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer(
                "/device_authorization",
                .object([
                    "device_code": .string("d"), "user_code": .string("U"),
                    "verification_uri": .string(ScriptedServer.url + "/device"),
                ]))
            await visitor.server.refuse("/token", "authorization_pending", "authorization_pending")
            let begun = try await visitor.begin("device")
            for _ in 0..<60 { _ = try await visitor.press(begun.path + "/poll") }
            #expect(await visitor.server.requests(at: "/token").count == 58)
            #expect(try await visitor.get(begun.path).text.contains("id=\"step-60\""))
        }
    }
}
