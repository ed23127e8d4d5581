import OpenSSL
import Server
import Standards
import Testing

@Suite("Documents")
struct DocumentTests {
    let renderer: PageRenderer

    init() throws {
        renderer = try Sample.renderer.get()
    }

    func document(_ sample: Sample) throws -> Element {
        try #require(Element.document(renderer.html(sample.page, in: sample.language)))
    }

    @Test("A page is well-formed and declares its language and direction", arguments: Sample.all)
    func languages(_ sample: Sample) throws {
        let html = try document(sample)
        #expect(html.name == "html")
        #expect(html.attributes["lang"] == sample.language.rawValue)
        #expect(html.attributes["dir"] == ([.persian, .arabic].contains(sample.language) ? "rtl" : "ltr"))
        #expect(renderer.html(sample.page, in: sample.language).hasPrefix("<!DOCTYPE html>\n<html "))
        #expect(html.all("meta").contains { $0.attributes == ["charset": "utf-8"] })
        #expect(
            html.all("meta").contains {
                $0.attributes == ["name": "viewport", "content": "width=device-width, initial-scale=1"]
            })
    }

    @Test("A page has one title, one main landmark, and one first-level heading in it", arguments: Sample.all)
    func structure(_ sample: Sample) throws {
        let html = try document(sample)
        #expect(html.all("title").count == 1)
        #expect(html.all("main").count == 1)
        #expect(html.all("h1").count == 1)
        #expect(html.all("main").first?.all("h1").count == 1)
        #expect(html.all("table").isEmpty)
    }

    @Test("Every element that should have text has text", arguments: Sample.all)
    func speech(_ sample: Sample) throws {
        for element in try document(sample).all
        where ["title", "h1", "p", "label", "button", "span", "a", "bdi", "strong"].contains(element.name) {
            #expect(element.wholeText.contains { !$0.isWhitespace }, "\(element.name) \(element.attributes)")
        }
    }

    @Test("Every visible field has a label, and every reference names one element", arguments: Sample.all)
    func references(_ sample: Sample) throws {
        let html = try document(sample)
        let ids = html.all.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        for element in html.all {
            for name in ["for", "form", "aria-describedby", "aria-labelledby"] {
                for id in (element.attributes[name] ?? "").split(separator: " ") { #expect(ids.contains(String(id))) }
            }
        }
        let labels = html.all("label").compactMap { $0.attributes["for"] }
        for input in html.all("input") where input.attributes["type"] != "hidden" {
            #expect(labels.contains(try #require(input.attributes["id"])))
        }
    }

    /// The scripts of the pages that carry a response, and the only addresses of another origin on any page.
    func exceptions(_ page: Page) -> (elements: [String], addresses: [String]) {
        switch page {
        case .formPost(let action, _, _): (["script"], [action])
        case .webMessage(let origin, _): (["script"], [origin])
        default: ([], [])
        }
    }

    @Test("A page contains no script unless it carries a response, and loads nothing", arguments: Sample.all)
    func nothingForeign(_ sample: Sample) throws {
        let html = try document(sample)
        let known: Set<String> = [
            "html", "head", "meta", "title", "style", "body", "main", "footer", "h1", "p", "strong", "bdi", "br",
            "form", "div", "input", "label", "button", "span", "a", "svg", "path", "circle", "rect", "details",
            "summary",
        ]
        let (scripts, addresses) = exceptions(sample.page)
        #expect(html.all("script").map(\.name) == scripts)
        #expect(html.all("script").allSatisfy { $0.attributes.isEmpty })
        for element in html.all {
            #expect((known.union(scripts)).contains(element.name))
            for (name, value) in element.attributes where !addresses.contains(value) {
                #expect(
                    !name.hasPrefix("on") && !["style", "src", "srcset", "formaction", "xlink:href"].contains(name))
                #expect(!value.contains("//") && !value.contains("javascript:") && !value.contains("url("))
            }
            #expect(["/device", "com.example.a:/cb?error=e", nil].contains(element.attributes["href"]))
            let action = element.attributes["action"]
            #expect((["/authorize", "/device", nil] + addresses.map(Optional.some)).contains(action))
        }
        let style = try #require(html.all("style").first).text
        for foreign in ["//", "url(", "@import", "@font-face", "expression", "<", "&"] {
            #expect(!style.contains(foreign))
        }
        #expect(html.all("style").count == 1)
    }

    @Test(
        "Every text of a translated page differs from the English one in the same place", arguments: Sample.translated)
    func translation(_ sample: Sample) throws {
        let translated = try document(sample).all
        let english = try document(Sample(page: sample.page, language: .english)).all
        #expect(translated.map(\.name).sorted() == english.map(\.name).sorted())
        for name in ["title", "h1", "p", "label", "button", "span", "a"] {
            // The name of a language is written in that language on every page, with the attribute `lang`.
            let isText = { (element: Element) in element.name == name && element.attributes["lang"] == nil }
            for (one, other) in zip(translated.filter(isText), english.filter(isText)) where !other.ownWords.isEmpty {
                #expect(one.ownWords != other.ownWords || sample.language.sharesWithEnglish.contains(one.ownWords))
                #expect(!one.ownWords.isEmpty)
                #expect(sample.language.isLatin || !one.ownWords.contains(where: \.isASCII), "\(one.ownWords)")
            }
        }
    }

    @Test("The title of an error starts with that word, and no other title does", arguments: Sample.all)
    func titles(_ sample: Sample) throws {
        let words: [PageLanguage: String] = [
            .english: "Error:", .hindi: "त्रुटि:", .bengali: "ত্রুটি:", .persian: "خطا:", .german: "Fehler:",
            .french: "Erreur\u{A0}:", .spanish: "Error:", .portuguese: "Erro:", .indonesian: "Kesalahan:",
            .arabic: "خطأ:", .japanese: "エラー:",
        ]
        let title = try #require(document(sample).all("title").first).text
        let reportsError =
            switch sample.page {
            case .problem: true
            case .enterCode(_, let problem, _): problem != nil
            case .secondFactor(_, let isRepeated, _): isRepeated
            case .signIn, .settleConflict, .confirmDevice, .approveDevice, .deviceApproved, .deviceRefused, .formPost,
                .webMessage, .home:
                false
            }
        #expect(title.hasPrefix(try #require(words[sample.language]) + " ") == reportsError)
    }
}

extension Element {
    /// The letters of the text, without the name of the application.
    fileprivate var ownWords: String {
        text.filter { $0.isLetter }.replacing("Aurora", with: "")
    }
}

extension PageLanguage {
    /// Whether the language is written in the Latin script.
    fileprivate var isLatin: Bool {
        switch self {
        case .english, .german, .french, .spanish, .portuguese, .indonesian: true
        case .hindi, .bengali, .persian, .arabic, .japanese: false
        }
    }

    /// The texts that are the same in English.
    fileprivate var sharesWithEnglish: Set<String> { [.german, .french].contains(self) ? ["Code"] : [] }
}

@Suite("Content security policy")
struct ContentSecurityPolicyTests {
    let renderer: PageRenderer

    init() throws {
        renderer = try Sample.renderer.get()
    }

    /// The directives of the policy, by name.
    func policy(_ page: Page) -> [String: String] {
        var directives: [String: String] = [:]
        for directive in renderer.contentSecurityPolicy(for: page).split(separator: "; ") {
            let parts = directive.split(separator: " ", maxSplits: 1)
            directives[String(parts[0])] = String(parts[1])
        }
        return directives
    }

    @Test("The policy allows the style that the document contains", arguments: Sample.all)
    func style(_ sample: Sample) throws {
        let html = renderer.html(sample.page, in: sample.language)
        let start = try #require(html.firstRange(of: "<style>")).upperBound
        let end = try #require(html.firstRange(of: "</style>")).lowerBound
        let hash = Base64.encode(SHA256.hash(Array(html[start..<end].utf8)))
        #expect(policy(sample.page)["style-src"] == "'sha256-\(hash)'")
    }

    @Test("The policy allows nothing else", arguments: Sample.pages)
    func nothingElse(_ page: Page) {
        var rest = policy(page)
        #expect(rest.removeValue(forKey: "default-src") == "'none'")
        #expect(rest.removeValue(forKey: "base-uri") == "'none'")
        #expect(rest.removeValue(forKey: "frame-ancestors") == "'none'")
        rest["style-src"] = nil
        switch page {
        case .formPost, .webMessage: #expect(rest.removeValue(forKey: "script-src") != nil)
        default: break
        }
        rest["form-action"] = nil
        #expect(rest.isEmpty)
    }

    @Test(
        "A form that can redirect to a provider has no form-action; every other page restricts it to its target",
        arguments: Sample.pages)
    func formAction(_ page: Page) {
        let expected: String? =
            switch page {
            case .signIn, .settleConflict, .secondFactor, .confirmDevice: nil
            case .enterCode, .approveDevice: "'self'"
            case .formPost: "https://aurora.example"
            case .deviceApproved, .deviceRefused, .webMessage, .home, .problem: "'none'"
            }
        #expect(policy(page)["form-action"] == expected)
    }
}
