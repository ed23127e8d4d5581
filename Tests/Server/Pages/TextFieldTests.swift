import Server
import Testing

@Suite("Fields for text")
struct TextFieldTests {
    /// WCAG 2.2 section 2.5.5 requires targets of 44 CSS pixels; a rem is 16 of them.
    @Test(
        "The rule of the style for fields applies to every field, and makes it 44 pixels high", arguments: Sample.pages)
    func height(page: Page) throws {
        let html = try Sample.renderer.get().html(page, in: .english)
        let rule = try #require(html.firstMatch(of: /\n *input\[type="text"\] \{[^}]*min-block-size: ([0-9.]+)rem;/))
        #expect(try #require(Double(rule.1)) * 16 >= 44)
        let fields = try #require(Element.document(html)).all("input").filter { $0.attributes["type"] != "hidden" }
        #expect(fields.allSatisfy { $0.attributes["type"] == "text" })
        switch page {
        case .enterCode, .secondFactor: #expect(fields.count == 1)
        default: #expect(fields.isEmpty)
        }
    }
}
