import Fixtures
import Flows
import Minting
import Providers
import Standards
import Testing

@testable import Server

@Suite("Forms")
struct TemplatesTests {
    let renderer: PageRenderer

    init() throws {
        renderer = try Sample.renderer.get()
    }

    func document(_ page: Page) throws -> Element {
        try #require(Element.document(renderer.html(page, in: .english)))
    }

    /// The buttons in keyboard order, as `name=value`, without those for the language.
    func buttons(_ page: Page) throws -> [String] {
        try document(page).all("button").filter { $0.attributes["name"] != "language" }.map { button in
            #expect(button.attributes["type"] == "submit")
            return "\(button.attributes["name"] ?? "")=\(button.attributes["value"] ?? "")"
        }
    }

    @Test("A form is posted to the path of its page and contains the flow", arguments: Sample.pages)
    func target(_ page: Page) throws {
        let action: String? =
            switch page {
            case .signIn, .settleConflict, .secondFactor: "/authorize"
            case .enterCode, .confirmDevice, .approveDevice: "/device"
            case .deviceApproved, .deviceRefused, .formPost, .webMessage, .home, .problem: nil
            }
        // The form of a response leads to the application; `ResponsePageTests` has its rules.
        if case .formPost = page { return }
        let forms = try document(page).all("form")
        #expect(forms.map { $0.attributes["action"] } == (action == nil ? [] : [action]))
        for form in forms {
            #expect(form.attributes["method"] == "post")
            let flow = try #require(form.all("input").first { $0.attributes["name"] == "flow" })
            #expect(flow.attributes == ["type": "hidden", "name": "flow", "value": "F1"])
        }
    }

    @Test("The sign-in page offers every provider with the same style, and cancelling last")
    func signIn() throws {
        #expect(try buttons(Sample.pages[0]) == ["provider=yahoo.com", "provider=twitter.com", "provider="])
        let choices = try document(Sample.pages[0]).all("form")[0].all("button").dropLast()
        #expect(Set(choices.map { $0.attributes["class"] }).count == 1)
        #expect(
            try choices.map { try #require($0.all("span").first).wholeText } == [
                "Continue with Yahoo", "Continue with X",
            ])
    }

    @Test("The page of a conflict names the way of before, the address, and offers that way with the same buttons")
    func settleConflict() throws {
        let html = try document(Sample.conflict())
        #expect(try #require(html.all("h1").first).wholeText == "You already have an account of Aurora")
        let texts = html.all("p").map { $0.wholeText.filter { $0 != "\n" } }
        #expect(texts.contains("You signed in to Aurora with Yahoo before."))
        #expect(texts.contains("maya@mail.example"))
        #expect(
            texts.contains(
                "Show that it is yours: sign in to it once more. From then on you can also sign in with X."))
        #expect(try buttons(Sample.conflict()) == ["provider=yahoo.com", "provider="])
        #expect(html.all("p").allSatisfy { $0.attributes["role"] != "alert" })
        let repeated = try document(Sample.conflict(isRepeated: true)).all("p")
            .filter { $0.attributes["role"] == "alert" }
        #expect(repeated.count == 1 && repeated[0].wholeText.hasPrefix("That was not the account"))
    }

    @Test("The page of a second factor has a field for the code; after a wrong code the field refers to the problem")
    func secondFactor() throws {
        let page = Sample.secondFactor(isRepeated: false)
        #expect(try buttons(page) == ["decision=prove", "decision=cancel"])
        let field = try #require(try document(page).all("input").first { $0.attributes["name"] == "code" })
        #expect(field.attributes["autocomplete"] == "one-time-code" && field.attributes["aria-invalid"] == nil)
        #expect(field.attributes["aria-describedby"] == "hint" && field.attributes["value"] == nil)
        let repeated = try document(Sample.secondFactor(isRepeated: true))
        let invalid = try #require(repeated.all("input").first { $0.attributes["name"] == "code" })
        #expect(invalid.attributes["aria-invalid"] == "true")
        #expect(invalid.attributes["aria-describedby"] == "problem hint")
        let alert = try #require(repeated.all("p").first { $0.attributes["role"] == "alert" })
        #expect(alert.attributes["id"] == "problem")
        #expect(alert.wholeText.hasPrefix("This code is wrong or was already used."))
        #expect(alert.wholeText.hasSuffix("If no code works, check the time of the device that shows it."))
    }

    @Test("If no provider can settle a conflict, the page says where the user can sign in and what happens then")
    func conflictElsewhere() throws {
        let page = Sample.conflict(signInMethods: ["Google", "password", "phone", "emailLink"], providers: [])
        let texts = try document(page).all("p").map { $0.wholeText.filter { $0 != "\n" } }
        #expect(
            texts.contains(
                "You signed in to Aurora with Google, an email address and a password, a telephone number, "
                    + "a link by email before."))
        #expect(
            texts.contains(
                "This page cannot check that way to sign in. Continue in Aurora, and sign in there as you did before. "
                    + "Then Aurora can add X to your account."))
        #expect(try buttons(page) == ["decision=continue", "provider="])
        let button = try #require(try document(page).all("button").first)
        #expect(button.wholeText.filter { $0 != "\n" } == "Continue in Aurora")
        #expect(button.attributes["class"] == "primary" && button.attributes["aria-describedby"] == "consider")
        let note = try #require(try document(page).element(id: "consider")).wholeText.filter { $0 != "\n" }
        #expect(note == "If you continue, Aurora learns this address and how you signed in before.")
    }

    @Test("The page of an account that cannot get the identity says why, and does not promise to add it")
    func conflictFull() throws {
        let texts = try document(Sample.conflict(signInMethods: ["X"], providers: [], isFull: true)).all("p")
            .map { $0.wholeText.filter { $0 != "\n" } }
        #expect(
            texts.contains(
                "That account already has another account of X, and it can have only one. Continue in Aurora, and "
                    + "sign in there as you did before."))
        #expect(!texts.contains { $0.contains("can add") })
    }

    @Test("Without a known way to sign in the page of a conflict names none")
    func conflictUnknown() throws {
        let texts = try document(Sample.conflict(signInMethods: [], providers: [])).all("p").map(\.wholeText)
        #expect(!texts.contains { $0.contains("You signed in to") })
    }

    @Test("Several providers of a conflict have the same style, and one is the primary button")
    func conflictOrder() throws {
        func classes(_ providers: [ProviderChoice]) throws -> [String?] {
            try document(Sample.conflict(providers: providers)).all("button")
                .filter { $0.attributes["name"] == "provider" && $0.attributes["value"] != "" }
                .map { $0.attributes["class"] }
        }
        #expect(try classes(Sample.providers) == ["choice", "choice"])
        #expect(try classes([Sample.providers[0]]) == ["primary"])
    }

    @Test("One provider is the primary button, and several have the order in which they are given")
    func order() throws {
        let reversed = Array(Sample.providers.reversed())
        func page(_ providers: [ProviderChoice]) -> [Page] {
            [
                Sample.signIn(to: .website(host: "aurora.example"), with: providers),
                .confirmDevice(application: "Aurora", userCode: "WDJB-MJHT", providers: providers, flow: "F1"),
            ]
        }
        func classes(_ page: Page) throws -> [String?] {
            try document(page).all("button").filter { $0.attributes["name"] == "provider" }
                .filter { $0.attributes["value"] != "" }.map { $0.attributes["class"] }
        }
        for page in page(reversed) {
            #expect(try buttons(page).prefix(2) == ["provider=twitter.com", "provider=yahoo.com"])
            #expect(try classes(page) == ["choice", "choice"])
        }
        for page in page([Sample.providers[0]]) { #expect(try classes(page) == ["primary"]) }
    }

    @Test("The sign-in page names the destination")
    func destination() throws {
        func note(_ destination: Destination) throws -> String {
            try #require(document(Sample.signIn(to: destination)).element(id: "consider")).wholeText.filter {
                $0 != "\n"
            }
        }
        #expect(try note(.website(host: "a.example")) == "Afterwards you return to a.example.")
        #expect(
            try note(.application(scheme: "com.example.a"))
                == "Afterwards you return to an application on this device (com.example.a).")
        #expect(try note(.thisDevice) == "Afterwards you return to an application on this device.")
    }

    @Test("The page before the provider names the purpose of the flow, and the effect of the choice")
    func purpose() throws {
        func says(_ purpose: SignInPurpose, _ providers: [ProviderChoice]) throws -> [String] {
            let html = try document(Sample.signIn(for: purpose, to: .thisDevice, with: providers))
            let heading = try #require(html.all("h1").first).wholeText
            let title = try #require(html.all("title").first).text.filter { !"\u{2068}\u{2069}".contains($0) }
            #expect(title == heading)
            return [heading, try #require(html.element(id: "question")).wholeText.filter { $0 != "\n" }]
        }
        let (several, one) = (Sample.providers, [Sample.providers[0]])
        #expect(try says(.signIn, several) == ["Sign in to Aurora", "Which account do you want to use?"])
        #expect(try says(.signIn, one) == ["Sign in to Aurora", "You sign in with your Yahoo account."])
        let link = "Add another way to sign in to Aurora"
        #expect(
            try says(.link, several) == [link, "From now on you can also sign in with the account that you choose."])
        #expect(try says(.link, one) == [link, "From now on you can also sign in with your Yahoo account."])
        let reauthenticate = "Confirm for Aurora that it is you"
        #expect(try says(.reauthenticate, several) == [reauthenticate, "Which account do you want to use?"])
        #expect(try says(.reauthenticate, one) == [reauthenticate, "You sign in with your Yahoo account."])
    }

    @Test(
        "A page for linking or reauthentication shows the account, and asks the user to confirm that it is theirs"
    )
    func account() throws {
        func panel(_ purpose: SignInPurpose, _ account: AccountShown) throws -> String {
            let html = try document(Sample.signIn(for: purpose, of: account, to: .website(host: "aurora.example")))
            let text = try #require(html.all("main").first).wholeText
            #expect(
                text.contains("Continue only if you have just started this yourself and this account is yours."))
            #expect(
                text.contains(
                    purpose == .link
                        ? "It will sign in to this account of Aurora:"
                        : "You confirm this for the following account of Aurora:"))
            return try #require(html.element(id: "account")).wholeText.filter { $0 != "\n" }
        }
        #expect(try panel(.link, .person("maya@mail.example", provider: "Yahoo")) == "maya@mail.exampleYahoo")
        #expect(try panel(.link, .person("maya@mail.example", provider: nil)) == "maya@mail.example")
        // A way in that is no provider has a text instead of Firebase's id.
        #expect(
            try panel(.link, .person("maya@mail.example", provider: "password"))
                == "maya@mail.examplean email address and a password")
        #expect(try panel(.link, .guest(uidEnd: "a1B2c3")) == "Guest account, ending in a1B2c3")
        #expect(try panel(.reauthenticate, .unnamed(provider: "X", uidEnd: "a1B2c3")) == "Account ending in a1B2c3X")
        #expect(try document(Sample.pages[0]).element(id: "account") == nil)
    }

    @Test("If any application could claim the destination, the page shows a caution")
    func caution() throws {
        func isCautious(_ page: Page) throws -> Bool {
            try document(page).all("p").contains { $0.attributes["class"] == "caution" }
        }
        #expect(try !isCautious(Sample.pages[0]))
        #expect(try isCautious(Sample.pages[1]))
        #expect(try isCautious(Sample.pages[2]))
    }

    @Test("The device page shows application and code, and offers every provider, and refusing last")
    func confirmation() throws {
        #expect(try buttons(Sample.pages[4]) == ["provider=yahoo.com", "provider=twitter.com", "decision=deny"])
        let main = try #require(document(Sample.pages[4]).all("main").first)
        #expect(try #require(main.all("h1").first).wholeText == "Sign in to Aurora on your device?")
        #expect(main.all("bdi").contains { $0.text == "WDJB-MJHT" && $0.attributes["dir"] == "ltr" })
        #expect(main.wholeText.contains("Continue only if you started this yourself"))
    }

    @Test("The approval page names application, person and provider, and offers yes and no")
    func approval() throws {
        #expect(try buttons(Sample.pages[5]) == ["decision=approve", "decision=deny"])
        let names = try document(Sample.pages[5]).all("main")[0].all("bdi").map(\.text)
        #expect(names == ["Aurora", "maya@mail.example", "Yahoo"])
    }

    @Test("The code field has the attributes for a code, and Enter sends the form")
    func codeField() throws {
        let page = Page.enterCode(code: "wdjb mjht", problem: nil, flow: "F1")
        let input = try #require(document(page).element(id: "user_code"))
        #expect(
            input.attributes == [
                "id": "user_code", "name": "user_code", "type": "text", "value": "wdjb mjht", "dir": "ltr",
                "inputmode": "text", "autocomplete": "one-time-code", "autocapitalize": "characters",
                "autocorrect": "off", "spellcheck": "false", "translate": "no", "aria-describedby": "hint",
            ])
        // A browser uses the first submit button of the form.
        #expect(try buttons(page) == ["="])
        #expect(try document(page).all.allSatisfy { $0.attributes["role"] != "alert" })
    }

    @Test(
        "A problem with the code is announced, described at the field, and the field is focused",
        arguments: CodeProblem.allCases)
    func codeProblem(_ problem: CodeProblem) throws {
        let html = try document(.enterCode(code: "WDJB", problem: problem, flow: "F1"))
        let input = try #require(html.element(id: "user_code"))
        #expect(input.attributes["aria-describedby"] == "problem hint")
        #expect(input.attributes["aria-invalid"] == "true")
        #expect(input.attributes["autofocus"] == "autofocus")
        let texts: [CodeProblem: String] = [
            .unknown: "This code does not work.", .tooManyTries: "There were too many wrong codes.",
            .missing: "Type the code that your device shows.",
        ]
        let alert = try #require(html.element(id: "problem"))
        #expect(alert.attributes["role"] == "alert")
        #expect(alert.text.hasPrefix(try #require(texts[problem])))
    }

    @Test(
        "A page with a form for this server has a button for each other language, behind it, and no other page has one",
        arguments: Sample.all)
    func languages(_ sample: Sample) throws {
        let html = try #require(Element.document(renderer.html(sample.page, in: sample.language)))
        let switches = html.all("button").filter { $0.attributes["name"] == "language" }
        guard let form = html.all("form").first, form.attributes["action"]?.hasPrefix("/") == true else {
            #expect(switches.isEmpty)
            return
        }
        let others = PageLanguage.allCases.filter { $0 != sample.language }
        #expect(switches.map { $0.attributes["value"] } == others.map(\.rawValue))
        #expect(switches.map { $0.attributes["lang"] } == others.map(\.rawValue))
        #expect(
            switches.map { $0.attributes["dir"] } == others.map { [.persian, .arabic].contains($0) ? "rtl" : "ltr" })
        #expect(Set(switches.map(\.text)).count == others.count)
        #expect(switches.allSatisfy { $0.attributes["type"] == "submit" && $0.attributes["form"] == "form" })
        #expect(form.attributes["id"] == "form")
        // Enter in a field presses the first button of the form in the document, which must not be one of these.
        #expect(html.all("button").suffix(switches.count).allSatisfy { $0.attributes["name"] == "language" })
        #expect(form.all("button").allSatisfy { $0.attributes["name"] != "language" })
    }

    @Test("The switch names the language of the page")
    func currentLanguage() throws {
        func summary(_ language: PageLanguage) throws -> String {
            let html = try #require(Element.document(renderer.html(Sample.pages[0], in: language)))
            return try #require(html.all("summary").first).wholeText
        }
        #expect(try summary(.english) == "Language: English")
        #expect(try summary(.german) == "Sprache: Deutsch")
        #expect(try summary(.japanese) == "言語: 日本語")
    }

    @Test("Only the page of a problem in a device flow links back to the code field", arguments: PageProblem.allCases)
    func wayBack(_ problem: PageProblem) throws {
        let links = try document(.problem(problem, requestID: "R1")).all("a").map { $0.attributes["href"] }
        let device: [PageProblem] = [
            .deviceCodeTaken, .deviceCodeEnded, .deviceFormEnded, .providerFailed, .accessDenied, .accountExists,
            .blockedByHook,
            .emailDomainNotAllowed,
        ]
        #expect(links == (device.contains(problem) ? ["/device"] : []))
    }

    @Test("A problem page links to the application if it is known, before the link to the code field")
    func application() throws {
        for (problem, others) in [(PageProblem.stateMismatch, []), (.accessDenied, ["/device"])] {
            let link = ApplicationLink(name: "Aurora", url: "com.example.a:/cb?error=access_denied&state=s")
            let links = try document(.problem(problem, requestID: "R1", wayBack: link)).all("a")
            #expect(links.map { $0.attributes["href"] } == [link.url] + others)
            #expect(links.first?.wholeText == "Back to Aurora")
            #expect(links.first?.attributes["target"] == nil)
        }
    }

    @Test("A page blames no other sign-in for a fault of the provider, of the server or of a cookie")
    func faults() {
        for (refusal, page) in [
            (Refusal.stateMissing, PageProblem.unusableResponse), (.stateMismatch, .stateMismatch),
            (.unexpectedForm(of: ProviderID("a")), .unusableResponse),
            (Refusal(.issuerMismatch, ""), .unusableResponse), (.malformedCallback(.noCode), .unusableResponse),
            (.callbackElsewhere(ProviderID("A"), of: ProviderID("a")), .unusableResponse),
            (Refusal(.issuedUnwatched, ""), .unavailable), (.protocolGone, .unavailable),
            (.unknownForm, .deviceFormEnded), (.expiredForm, .deviceFormEnded), (.unknownBrowserFlow, .signInEnded),
        ] {
            #expect(PageProblem(refusal) == page, "\(refusal)")
        }
    }

    @Test("No page of an application's flow tells of a device, and one of a disabled account does not say to try again")
    func devices() {
        let failure = ProviderFailure.failed(status: 500).refusal
        #expect(PageProblem(failure, isOfApplication: false) == .providerFailed)
        #expect(PageProblem(failure, isOfApplication: true) == .unavailable)
        #expect(PageProblem(.unknownBrowserFlow, isOfApplication: true) == .signInEnded)
        #expect(PageProblem(Refusal(.userDisabled, "")) == .blockedByHook)
        #expect(PageProblem(Refusal(.providerAccountDisabled, "")) == .accessDenied)
        #expect(PageProblem(.submittedForm) == .deviceCodeEnded)
    }

    @Test("Every problem has its own heading")
    func problems() throws {
        let pages = try PageProblem.allCases.map { try document(.problem($0, requestID: "R1")) }
        #expect(Set(pages.compactMap { $0.all("h1").first?.text }).count == PageProblem.allCases.count)
    }

    @Test("Only problem pages contain the request id, in their footer", arguments: Sample.pages)
    func requestID(_ page: Page) throws {
        let html = try document(page)
        if case .problem = page {
            #expect(html.all("footer").map { $0.wholeText.contains("If you ask for help, mention: R1") } == [true])
            #expect(try #require(html.all("main").first).wholeText.contains("R1") == false)
        } else {
            #expect(!html.wholeText.contains("R1"))
        }
    }
}
