internal import Jansson

/// Flows that an attacker begins for an account of their own, and a person who is lured into finishing them.
enum IntentPages {
    private static let needs: Set<Need> = [.standIns, .accounts, .sessions, .pushedRequests, .browserFlow]

    static let all: [Attack] = [
        page(
            "LK-46a", "pushes a flow to link, whose redirect URI is https", "link", beginning: pushed),
        page(
            "LK-46b", "pushes a flow to reauthenticate, whose redirect URI is https", "reauthenticate",
            beginning: pushed),
        page("LK-46c", "begins to link at POST /v1/signin", "link", beginning: signin),
        page("LK-46d", "begins to reauthenticate at POST /v1/signin", "reauthenticate", beginning: signin),
        Attack(
            "LK-46e", .link, .critical,
            "An attacker with a guest account sends the address of a flow to link to a person.",
            oracle: "The page names a guest account of the application with the end of its uid.",
            source: "CVE-2015-9284; COSF", needs: needs.union([.anonymous])
        ) { strike in
            let guest = try await strike.enterAnonymously()
            for begin in [pushed, signin] {
                let request = try await begin(strike, "link", guest.bearer)
                await strike.expectPage(behind: request, naming: [String(guest.uid.suffix(6))])
            }
        },
        Attack(
            "LK-46f", .link, .high, "The button of the page before the provider is pressed by another browser.",
            oracle: "A page of 400: the form belongs to the cookie of the browser that saw it.",
            source: "CVE-2025-68158; COSF", needs: needs
        ) { strike in
            let attacker = try await strike.enter()
            for begin in [pushed, signin] {
                let browser = Browser()
                let page = try await strike.honest(try await begin(strike, "link", attacker.bearer))
                await browser.take(page)
                let provider = strike.lab.application.provider
                await strike.fire(try await strike.pressing(page, provider, in: Browser()), expecting: .page())
                try await strike.mustStillWork(try await strike.pressing(page, provider, in: browser), status: 303)
            }
        },
    ]

    private typealias Beginning = @Sendable (Strike, _ intent: String, _ bearer: String) async throws -> Request

    private static let pushed: Beginning = { strike, intent, bearer in
        let answer = try await strike.honest(
            strike.pushing({ $0.append(("intent", intent)) }, bearer: bearer), status: 201)
        return strike.pulled(answer["request_uri"] ?? "")
    }

    private static let signin: Beginning = { strike, intent, bearer in
        let answer = try await strike.honest(
            strike.beginning(further: ["intent": .string(intent)], bearer: bearer))
        let url = answer["authorization_url"] ?? ""
        let addresses = try strike.standIns.addresses
        await strike.expect(
            !url.hasPrefix(addresses.yahoo) && !url.hasPrefix(addresses.x), .wrongAnswer,
            "The application is given the provider's URL, past the page that names the account.")
        return .get(Strike.target(of: url))
    }

    private static func page(
        _ id: String, _ what: String, _ intent: String, beginning begin: @escaping Beginning
    ) -> Attack {
        Attack(
            id, .link, .critical,
            "An attacker \(what), and sends the address to a person who is signed in at the provider.",
            oracle:
                "A page before the provider names the application and the account, and waits for a press of its button.",
            source: "CVE-2015-9284; COSF", needs: needs
        ) { strike in
            let address = try strike.freshAddress()
            let attacker = try await strike.enter { $0.holdsVerified(address) }
            let request = try await begin(strike, intent, attacker.bearer)
            await strike.expectPage(behind: request, naming: ["My App", address])
        }
    }
}

extension Strike {
    /// A page that leads nowhere by itself, and names these.
    fileprivate func expectPage(behind request: Request, naming names: [String]) async {
        let mark = try? await mark()
        let reply = await fire(request, expecting: .page(200))
        for name in names {
            await expect(
                reply.answer?.text.contains(name) == true, .wrongAnswer, "The page does not name \(name).")
        }
        if let mark { try? await expectCalls(["yahoo.authorize": 0, "x.oauth2_authorize": 0], since: mark) }
    }
}
