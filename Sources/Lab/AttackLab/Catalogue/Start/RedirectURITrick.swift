/// A family of redirect URIs that a careless comparison takes for the registered one.
struct RedirectURITrick: Sendable {
    let letter: String
    /// What these have in common.
    let sentence: String
    /// `{uri}`, `{host}` and `{path}` stand for the registered one and its parts.
    let spellings: [String]
    var reveals: Set<Mistake> = [.redirectUnchecked]

    /// Around an `https` URI.
    func redirectURIs(around registered: String) -> [String] {
        let rest = registered.dropFirst("https://".count)
        let host = String(rest.prefix { $0 != "/" })
        let path = String(rest.drop { $0 != "/" })
        return spellings.map { spelling in
            spelling.replacing("{uri}", with: registered).replacing("{host}", with: host)
                .replacing("{path}", with: path)
        }
    }

    var attack: Attack {
        Attack(
            "ST-02\(letter)", .start, .critical, sentence,
            oracle: "A page with status 400 for each, no Location: octet for octet is the only comparison.",
            source: "RFC 9700 2.1; CVE-2026-28512; CVE-2021-21291; CVE-2016-1000001", needs: [.browserFlow],
            reveals: reveals
        ) { strike in
            let registered = strike.lab.application.redirectURI
            for redirectURI in redirectURIs(around: registered) { await strike.fire(redirectURI: redirectURI) }
            // It is the redirect URI that is refused, and nothing else.
            try await strike.honest(strike.authorizing(registered), status: 303, or: 200)
        }
    }
}

extension Strike {
    /// A good request but for its redirect URI.
    func authorizing(_ redirectURI: String, clientID: String? = nil) -> Request {
        authorize(verifier: Self.plainVerifier, state: "s", clientID: clientID, redirectURI: redirectURI)
    }

    /// The browser is not redirected.
    func fire(redirectURI: String, clientID: String? = nil) async {
        await fire(authorizing(redirectURI, clientID: clientID), expecting: .page())
    }

    /// The code verifier of flows that are never completed.
    static let plainVerifier = "plain-verifier-of-a-flow-that-never-completes"
}
