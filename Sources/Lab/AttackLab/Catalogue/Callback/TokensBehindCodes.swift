internal import Jansson

/// One way in which the ID token is wrong that the provider gives for a good code.
private struct WrongToken: Sendable {
    let letter: String
    let sentence: String
    let source: String
    /// Orders to the stand-in, in the words of `PUT /claims`; each is tried in a flow of its own.
    let orders: [JSON]
    var reveals: Set<Mistake> = []
    var severity = Severity.critical

    func attack(_ number: String) -> Attack {
        Attack(
            number + letter, .callback, severity, sentence,
            oracle: "The application is told of an error; there is no handoff code.", source: source,
            needs: [.standIns, .browserFlow], reveals: reveals
        ) { strike in
            for order in orders {
                let flow = try await strike.begin()
                let target = try await strike.approve(flow)
                let once = order.setting(["times"], to: 1)
                try await strike.standIns.claims(once)
                await strike.fire(
                    await strike.callback(target, in: flow.browser), tellingApplication: [], state: flow.state)
            }
        }
    }
}

extension Catalogue {
    static let tokensBehindCodes: [Attack] = [
        WrongToken(
            letter: "", sentence: "The ID token behind a good code has no nonce.",
            source: "FAPI2 invalid-missing-nonce; RFC 9700 4.5.3.2",
            orders: [["remove": ["nonce"]], ["remove": ["nonce"], "header": ["nonce": "x"], "set": ["Nonce": "x"]]],
            reveals: [.nonceIgnored, .nonceOnlyIfPresent]),
        WrongToken(
            letter: "a", sentence: "The ID token behind a good code has another nonce, or more than one.",
            source: "OIDF nonce-invalid",
            orders: [
                ["set": ["nonce": "other"]], ["set": ["nonce": ""]], ["set": ["nonce": ["a", "b"]]],
                ["set": ["nonce": .object([:])]], ["set": ["nonce": .null]], ["set": ["nonce": true]],
            ], reveals: [.nonceIgnored]),
    ].map { $0.attack("CB-21") }

    static let claimsBehindCodes: [Attack] = [claimsOfOthers, signaturesOfOthers].flatMap(\.self).map {
        $0.attack("CB-29")
    }

    private static let claimsOfOthers: [WrongToken] = [
        WrongToken(
            letter: "", sentence: "The ID token behind a good code was made for another application.",
            source: "GHSA-x6fw-778m-wr9v; OIDC Core 3.1.3.7",
            orders: [["set": ["aud": "other"]], ["remove": ["aud"]], ["set": ["aud": .array([])]]],
            reveals: [.audienceUnchecked]),
        WrongToken(
            letter: "a", sentence: "The ID token behind a good code is another issuer's.", source: "CVE-2026-31813",
            orders: [["set": ["iss": "https://evil.example"]], ["remove": ["iss"]]], reveals: [.issuerUnchecked]),
        WrongToken(
            letter: "b", sentence: "The ID token behind a good code has expired.", source: "OIDC Core 3.1.3.7",
            orders: [["set": ["exp": 1_700_000_000, "iat": 1_699_999_000]]], reveals: [.expiryUnchecked]),
        WrongToken(
            letter: "c", sentence: "The ID token for a valid code has no subject, or more than one.",
            source: "PROF ID Spoofing 10, 11",
            orders: [
                ["remove": ["sub"]], ["set": ["sub": ""]], ["set": ["sub": 7]],
                ["set": ["sub": ["VICTIM", "MALLORY"]]],
                ["set": ["sub": .null]],
            ]),
        WrongToken(
            letter: "d", sentence: "The ID token behind a good code names two subjects.",
            source: "PROF ID Spoofing 8, 9",
            orders: [
                ["duplicate": ["sub": "VICTIM"]], ["duplicate": ["aud": "other"]], ["duplicate": ["name": "Other"]],
            ],
            reveals: [.duplicateMembers]),
    ]

    private static let signaturesOfOthers: [WrongToken] = [
        WrongToken(
            letter: "e",
            sentence: "The ID token behind a good code is signed by another key under the provider's key id.",
            source: "OIDF invalid-sig-es256", orders: [["key": "foreign"]], reveals: [.signatureUnchecked]),
        WrongToken(
            letter: "f", sentence: "The ID token behind a good code is not signed at all.",
            source: "OIDC Core 3.1.3.7; RFC 8725 2.1", orders: [["key": "none"]], reveals: [.noneAccepted]),
        WrongToken(
            letter: "g",
            sentence: "The ID token behind a good code is signed with the provider's public key as a secret.",
            source: "CVE-2016-10555", orders: [["key": "hs256"]], reveals: [.publicKeyAsSecret]),
        WrongToken(
            letter: "h", sentence: "The token behind a good code is no ID token but an access token or a logout token.",
            source: "RFC 8725 3.11",
            orders: [["header": ["typ": "at+jwt"]], ["header": ["typ": "logout+jwt"]]], reveals: [.typeIgnored]),
        WrongToken(
            letter: "i", sentence: "The ID token behind a good code has a header that must be understood.",
            source: "RFC 7515 4.1.11; CVE-2025-59420",
            orders: [["header": ["crit": ["x"], "x": true]], ["header": ["crit": .array([])]]],
            reveals: [.criticalIgnored],
            severity: .high),
    ]
}
