import OpenSSL
import Standards
import Testing

@testable import Server

@Suite("Pages that carry a response to an application")
struct ResponsePageTests {
    let renderer: PageRenderer

    init() throws {
        renderer = try Sample.renderer.get()
    }

    func document(_ page: Page) throws -> Element {
        try #require(Element.document(renderer.html(page, in: .english)))
    }

    /// The hidden fields as `name=value`.
    func fields(_ element: Element) -> [String] {
        element.all("input").map { input in
            #expect(input.attributes["type"] == "hidden")
            return "\(input.attributes["name"] ?? "")=\(input.attributes["value"] ?? "")"
        }
    }

    @Test("The form posts the parameters to the redirect URI with its query, and has a button without a name")
    func formPost() throws {
        let html = try document(Sample.formPost())
        let form = try #require(html.all("form").first)
        #expect(html.all("form").count == 1)
        #expect(form.attributes["method"] == "post")
        #expect(form.attributes["action"] == "https://aurora.example/cb?a=1&b=2")
        #expect(fields(form) == ["code=C1", "state=S1"])
        let button = try #require(form.all("button").first)
        #expect(button.attributes == ["class": "primary", "type": "submit"])
        #expect(try #require(html.all("script").first).text == "document.forms[0].submit();")
    }

    @Test("The message has no form; its document names the target origin, and says what to do without an opener")
    func webMessage() throws {
        let html = try document(Sample.webMessage())
        #expect(html.all("form").isEmpty)
        let carrier = try #require(html.element(id: "response"))
        #expect(carrier.attributes["data-origin"] == "https://aurora.example")
        #expect(fields(carrier) == ["code=C1", "state=S1"])
        #expect(html.element(id: "delivered")?.attributes["hidden"] != nil)
        let advice = try #require(html.element(id: "undelivered"))
        #expect(advice.attributes["hidden"] == nil)
        #expect(advice.wholeText.contains("start the sign-in again"))
    }

    @Test("A script is the same for every response, and the policy allows exactly its text")
    func scripts() throws {
        let other = [ResponseField(name: "error", value: "access_denied")]
        for (page, changed) in [
            (Sample.formPost(), Sample.formPost(fields: other)),
            (Sample.webMessage(), Sample.webMessage(fields: other)),
        ] {
            let script = try #require(document(page).all("script").first).text
            #expect(try document(changed).all("script").map(\.text) == [script])
            #expect(!script.contains("<") && !script.contains("&"), "HTML and XML would read it differently.")
            let hash = Base64.encode(SHA256.hash(Array(script.utf8)))
            #expect(renderer.contentSecurityPolicy(for: page).contains("; script-src 'sha256-\(hash)'; "))
        }
    }

    @Test("The policy does not take a directive from an origin")
    func origin() {
        let page = Page.formPost(action: "https://a.example/", origin: "https://a.example\r\n x", fields: [])
        #expect(renderer.contentSecurityPolicy(for: page).hasSuffix("; form-action https://a.examplex"))
    }
}
