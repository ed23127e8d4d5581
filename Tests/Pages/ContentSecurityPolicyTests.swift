import OAuth
import OpenSSL
import Pages
import Testing

@Suite("Content security policy")
struct ContentSecurityPolicyTests {
    let renderer: PageRenderer

    init() throws {
        renderer = try Sample.renderer.get()
    }

    /// The directives by name.
    func policy(_ page: Page) -> [String: String] {
        var directives: [String: String] = [:]
        for directive in renderer.contentSecurityPolicy(for: page).split(separator: "; ") {
            let parts = directive.split(separator: " ", maxSplits: 1)
            directives[String(parts[0])] = String(parts[1])
        }
        return directives
    }

    @Test("The style in the document is the style that the policy allows", arguments: Sample.all)
    func style(_ sample: Sample) throws {
        let html = renderer.html(sample.page, in: sample.language)
        let start = try #require(html.firstRange(of: "<style>")).upperBound
        let end = try #require(html.firstRange(of: "</style>")).lowerBound
        let hash = Base64.encode(SHA256.hash(Array(html[start..<end].utf8)))
        #expect(policy(sample.page)["style-src"] == "'sha256-\(hash)'")
    }

    @Test("Nothing else is allowed", arguments: Sample.pages)
    func nothingElse(_ page: Page) {
        var rest = policy(page)
        #expect(rest.removeValue(forKey: "default-src") == "'none'")
        #expect(rest.removeValue(forKey: "base-uri") == "'none'")
        #expect(rest.removeValue(forKey: "frame-ancestors") == "'none'")
        rest["style-src"] = nil
        rest["form-action"] = nil
        #expect(rest.isEmpty)
    }

    @Test("A form that ends at a provider is not bound to this server, every other is", arguments: Sample.pages)
    func formAction(_ page: Page) {
        let expected: String? =
            switch page {
            case .signIn, .confirmDevice: nil
            case .enterCode, .approveDevice: "'self'"
            case .deviceApproved, .deviceRefused, .problem: "'none'"
            }
        #expect(policy(page)["form-action"] == expected)
    }
}
