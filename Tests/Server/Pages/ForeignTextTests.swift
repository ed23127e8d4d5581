import Testing

@testable import Server

@Suite("Text from untrusted sources")
struct ForeignTextTests {
    let renderer: PageRenderer

    init() throws {
        renderer = try Sample.renderer.get()
    }

    /// Every page, with `text` in each place that can contain untrusted text.
    static func pages(with text: String) -> [Page] {
        let providers = [ProviderChoice(id: text, name: text), ProviderChoice(id: text, name: text)]
        return [
            .signIn(
                application: text, purpose: .signIn, account: nil, destination: .website(host: text),
                providers: providers, flow: text),
            .signIn(
                application: text, purpose: .link, account: .person(text, provider: text),
                destination: .application(scheme: text), providers: [providers[0]], flow: text),
            .signIn(
                application: text, purpose: .link, account: .guest(uidEnd: text), destination: .thisDevice,
                providers: providers, flow: text),
            .signIn(
                application: text, purpose: .reauthenticate, account: .unnamed(provider: text, uidEnd: text),
                destination: .thisDevice, providers: providers, flow: text),
            .enterCode(code: text, problem: .unknown, flow: text),
            .confirmDevice(application: text, userCode: text, providers: providers, flow: text),
            .approveDevice(application: text, provider: text, person: text, flow: text),
            .deviceApproved(application: text), .deviceRefused(application: text),
            .formPost(action: text, origin: text, fields: [ResponseField(name: text, value: text)]),
            .webMessage(origin: text, fields: [ResponseField(name: text, value: text)]),
            .problem(.internalError, message: text, requestID: text, wayBack: ApplicationLink(name: text, url: text)),
        ]
    }

    /// The elements and the names of their attributes, which untrusted text must not change.
    func shape(_ page: Page) throws -> [String] {
        try #require(Element.document(renderer.html(page, in: .persian))).all.map {
            $0.name + " " + $0.attributes.keys.sorted().joined(separator: " ")
        }
    }

    func name(_ text: String) throws -> String {
        let html = try #require(Element.document(renderer.html(.deviceApproved(application: text), in: .english)))
        return try #require(html.all("bdi").first).text
    }

    @Test(
        "Attack text changes no element and no attribute",
        arguments: [
            #""><svg onload="alert(1)">"#, "</title><script>alert(1)</script>", "' onfocus='alert(1)' autofocus='",
            #"" autofocus onfocus="alert(1)"#, "</bdi></strong></h1><h1>", "&lt;script&gt;", "&#34; x=&#34;",
            "{{flow}}", "{{{application}}}", "{{>layout}}", "{{=<% %>=}}", "]]>", "<!--", "-->",
            "\u{0}\u{1B}[31m\u{7F}",
            "\"\u{301} autofocus onfocus=alert(1) y", "\u{600}\" autofocus onfocus=alert(1) y",
            "\"\u{200D} autofocus x", "<\u{338}script>", "\r\n\"\r\n", "\u{FFFE}\u{FFFF}", "\u{2028}\u{85}",
        ])
    func attack(_ text: String) throws {
        for (attacked, peaceful) in zip(Self.pages(with: text), Self.pages(with: "peace")) {
            #expect(try shape(attacked) == shape(peaceful))
        }
    }

    @Test(
        "A parameter of a response is passed on unchanged",
        arguments: [
            "é&=+%", "\"\u{301} autofocus", "<\u{338}script>", "'&#34;&quot;", "a\u{202E}b", "\u{85}\u{2028}",
            "{{flow}}", " x ",
            String(repeating: "\u{1F469}\u{200D}", count: 100),
        ])
    func responses(_ text: String) throws {
        for page in [
            Sample.formPost(fields: [.init(name: "state", value: text)]),
            Sample.webMessage(fields: [.init(name: "state", value: text)]),
        ] {
            let html = try #require(Element.document(renderer.html(page, in: .english)))
            let shown = try #require(html.all("input").first?.attributes["value"])
            #expect(shown.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    // swift-mustache 2.1.1 escapes graphemes, so it does not escape a quotation mark with a combining mark.
    @Test("A character that joins a quotation mark into one grapheme does not prevent its escaping")
    func joiningCharacters() throws {
        let joining = (UInt32(0)...0x1FFFF).compactMap(Unicode.Scalar.init).filter {
            "\"\($0)".count == 1 || "\($0)\"".count == 1
        }
        #expect(joining.contains("\u{301}") && joining.contains("\u{600}") && joining.count > 1000)
        for start in stride(from: 0, to: joining.count, by: 20) {
            let text = joining[start..<min(start + 20, joining.count)].map { "a\"\($0)<\($0)" }.joined() + "a"
            let html = renderer.html(.deviceApproved(application: text), in: .english)
            let name = try #require(html.split(separator: "<bdi>").dropFirst().first?.split(separator: "</bdi>").first)
            #expect(!name.unicodeScalars.contains("\"") && !name.unicodeScalars.contains("<"), "\(start)")
        }
    }

    @Test("Template language in a name is shown as text")
    func templateLanguage() throws {
        #expect(try name("{{flow}} {{{x}}} {{>layout}}") == "{{flow}} {{{x}}} {{>layout}}")
    }

    @Test("A name in any script is shown unchanged")
    func honestNames() throws {
        for text in [
            "Aurora & Söhne <3", "O'Neill \"Nel\"", "कर्मचारी ऐप", "আমার অ্যাপ", "کتاب‌خانه‌ی من", "日本語", "مكتبة",
            "👩‍👩‍👧 ❤️", "e\u{301}",
        ] {
            #expect(try name(text).unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    @Test(
        "Characters of a name that are invisible or change the direction of text are removed",
        arguments: [
            ("a\u{202E}b", "ab"), ("\u{202A}a\u{202C}", "a"), ("\u{2066}a\u{2069}", "a"),
            ("a\u{200F}\u{200E}\u{61C}b", "ab"),
            ("a\u{200B}\u{FEFF}\u{2060}\u{AD}b", "ab"), ("a\u{200D}\u{200C}b", "ab"),
            ("a\u{3164}\u{115F}\u{34F}b", "ab"),
            ("a\u{E0041}\u{E007F}b", "ab"), ("a\u{E000}b", "ab"), ("a\u{7}b", "a b"), ("  a \n\t\u{A0} b  ", "a b"),
            ("", "…"), (" \u{200B} ", "…"),
            ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}x", "e\u{301}\u{302}\u{303}\u{304}x"),
        ])
    func misleadingNames(_ text: String, _ shown: String) throws {
        #expect(try name(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test("A name is cut off after 120 scalars")
    func longNames() throws {
        #expect(try name(String(repeating: "a", count: 120)) == String(repeating: "a", count: 120))
        #expect(try name(String(repeating: "a", count: 121)) == String(repeating: "a", count: 120) + "…")
    }

    @Test("A name in a title is isolated by characters, because a title cannot contain elements")
    func titles() throws {
        let page = Page.approveDevice(application: "کتابخانه", provider: "X", person: "x", flow: "F1")
        let html = try #require(Element.document(renderer.html(page, in: .english)))
        #expect(html.all("title").first?.text == "Last step: sign in to \u{2068}کتابخانه\u{2069}?")
    }

    @Test("A value of a form field keeps only its visible ASCII characters")
    func values() throws {
        let page = Page.confirmDevice(
            application: "A", userCode: "WDJB\u{202E}-MJHT", providers: [.init(id: "a\u{301}.b~ c", name: "A")],
            flow: "A-_.~\"9\u{0}é")
        let html = try #require(Element.document(renderer.html(page, in: .english)))
        #expect(html.all("input").first?.attributes["value"] == "A-_.~\"9")
        #expect(html.all("button").first?.attributes["value"] == "a.b~c")
        #expect(html.all("bdi").contains { $0.text == "WDJB-MJHT" })
    }

    @Test(
        "A typed code is shown again without characters that no code contains (DG-08)",
        arguments: [
            ("wdjb-mjht", "wdjb-mjht"), ("WDJB MJHT", "WDJB MJHT"), ("<b>\"x\"</b>", "bxb"), ("ＷＤＪＢ", ""),
            (String(repeating: "W", count: 10_000), String(repeating: "W", count: 16)),
        ])
    func typedCode(_ text: String, _ shown: String) throws {
        let page = Page.enterCode(code: text, problem: .unknown, flow: "F1")
        let html = try #require(Element.document(renderer.html(page, in: .english)))
        #expect(html.element(id: "user_code")?.attributes["value"] == shown)
    }
}
