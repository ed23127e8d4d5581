import Fixtures
import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("ID tokens")
struct IDTokenTests {
    /// Expects an error for a token with one wrong member, and that nothing is spent.
    private func check(
        _ token: IDTokenBuilder, in proof: Proof, is expected: JOSEError,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await expectRefusal(expected.refusal.spent, sourceLocation: sourceLocation) {
            try await proof.verify(token)
        }
        #expect(proof.deployment.store.calls.isEmpty, sourceLocation: sourceLocation)
    }

    /// Expects an error for a token with one claim of another value, as JSON text, or without it.
    private func check(
        _ claim: String, _ text: String?, is expected: JOSEError, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let proof = try Proof()
        await check(proof.token.setting(claim, toText: text), in: proof, is: expected, sourceLocation: sourceLocation)
    }

    @Test("A fresh token of Yahoo for this client with the right nonce proves its identity")
    func baseline() async throws {
        let proof = try Proof()
        let identity = try await proof.verify(proof.token)
        #expect(identity.provider == Yahoo.id)
        #expect(identity.subject.text == Yahoo.subject)
        #expect(identity.audienceProof == .idTokenAudience)
        #expect(identity.profile.name == "Ann Example")
        #expect(identity.profile.email == "ann@example.org")
        #expect(identity.profile.isEmailVerified == true)
        #expect(identity.tokens.idToken != nil && identity.tokens.accessToken == nil)
        #expect(identity.returnable.map(\.kind) == [.idToken])
        #expect(proof.deployment.store.calls == [.spend([.idToken])])
        #expect(proof.deployment.peer.requests.map(\.url) == [Yahoo.keys])
    }

    @Test("A token that Yahoo signs with RSA proves its identity")
    func rsa() async throws {
        let proof = try Proof()
        let token = proof.token.settingHeader("alg", to: .string("RS256"))
            .settingHeader("kid", to: .string(TestKeys.rsaKeyID)).signed(by: .rsa)
        #expect(try await proof.verify(token).subject.text == Yahoo.subject)
    }

    @Test("A further client id is an audience of posted tokens")
    func furtherClientID() async throws {
        let proof = try Proof()
        let token = proof.token.setting("aud", to: .string(Yahoo.phoneClientID))
        #expect(try await proof.verify(token).subject.text == Yahoo.subject)
    }

    @Test("IDT-22: The audience may be an array with one element")
    func audienceList() async throws {
        let proof = try Proof()
        let token = proof.token.setting("aud", to: .array([.string(Yahoo.clientID)]))
        #expect(try await proof.verify(token).subject.text == Yahoo.subject)
    }

    @Test("A second issuer of the configuration is accepted")
    func secondIssuer() async throws {
        let proof = try Proof { $0.yahoo.endpoints.issuers = [Yahoo.issuer, "https://login.yahoo.com"] }
        let token = proof.token.setting("iss", to: .string("https://login.yahoo.com"))
        #expect(try await proof.verify(token).subject.text == Yahoo.subject)
    }

    // MARK: Signature

    @Test("IDT-08: A token whose algorithm is not that of its key is refused")
    func otherAlgorithm() async throws {
        let proof = try Proof()
        await check(
            proof.token.settingHeader("kid", to: .string(TestKeys.rsaKeyID)), in: proof, is: .keyForOtherAlgorithm)
        await check(
            proof.token.settingHeader("alg", to: .string("RS256")).signed(by: .rsa), in: proof,
            is: .keyForOtherAlgorithm)
    }

    @Test(
        "IDT-08: A key that is published for another use verifies no token",
        arguments: [
            #""alg":"ES256""#: #""alg":"RS256""#, #""use":"sig""#: #""use":"enc""#,
            #""kty":"EC""#: #""key_ops":["encrypt"],"kty":"EC""#,
        ])
    func unfitKey(_ member: String, _ replacement: String) async throws {
        let proof = try Proof()
        let keys = try TestKeys.shared.keySet().replacing(member, with: replacement)
        proof.deployment.peer.script(.get, Yahoo.keys, .json(keys))
        await check(proof.token, in: proof, is: .unknownKey)
    }

    @Test("IDT-09: A token with the id of Yahoo's key and the signature of another key is refused")
    func foreignKey() async throws {
        let proof = try Proof()
        await check(proof.token.signed(by: .foreignCurve), in: proof, is: .signatureInvalid)
        let rsa = proof.token.settingHeader("alg", to: .string("RS256"))
            .settingHeader("kid", to: .string(TestKeys.rsaKeyID))
        await check(rsa.signed(by: .foreignRSA), in: proof, is: .signatureInvalid)
    }

    @Test(
        "IDT-02, IDT-06, IDT-07: An algorithm that Yahoo does not use is refused before any key is looked up",
        arguments: ["none", "HS256", "RS384", "ES384", "PS256", "EdDSA", "es256", "ES256 ", ""])
    func algorithm(_ algorithm: String) async throws {
        let proof = try Proof()
        await check(proof.token.settingHeader("alg", to: .string(algorithm)), in: proof, is: .algorithmNotAllowed)
    }

    @Test("IDT-03: A changed payload with the old signature is refused")
    func changedPayload() async throws {
        let proof = try Proof()
        let honest = try proof.token.compact().split(separator: ".")
        let forged = try proof.token.setting("sub", to: .string("victim")).compact().split(separator: ".")
        await expectRefusal(JOSEError.signatureInvalid.refusal) {
            try await proof.verify("\(honest[0]).\(forged[1]).\(honest[2])")
        }
    }

    @Test(
        "IDT-04, IDT-34, IDT-43: A text that is not a compact JWS is refused without any call",
        arguments: ["", "a", "a.b", "a.b.c.d", "e30.e30.", "Bearer e30.e30.AA", " e30.e30.AA", "e30=.e30.AA"])
    func noJWS(_ text: String) async throws {
        let proof = try Proof()
        let failure = await refusal { try await proof.verify(text) }
        let errors: [JOSEError] = [.malformedToken(.segments), .malformedBase64URL, .malformedToken(.algorithm)]
        #expect(errors.contains { failure == $0.refusal.spent })
        #expect(proof.deployment.peer.requests.isEmpty && proof.deployment.store.calls.isEmpty)
    }

    // MARK: Issuer and audience

    @Test(
        "IDT-18: A token of another issuer is refused, however similar it is",
        arguments: [
            "https://evil.example", "", "https://api.login.yahoo.com/", "http://api.login.yahoo.com",
            "https://API.login.yahoo.com", "https://api.login.yahoo.com.evil.example",
            "https://api.login.yahoo.com/x", "api.login.yahoo.com", "https://login.yahoo.com",
            "https://api.login.yahoo.com ",
        ])
    func otherIssuer(_ issuer: String) async throws {
        try await check("iss", #""\#(issuer)""#, is: .issuerMismatch(expected: [Yahoo.issuer]))
    }

    @Test("IDT-18: A token without an issuer, or with an array, is refused")
    func noIssuer() async throws {
        try await check("iss", nil, is: .missingClaim("iss"))
        try await check("iss", #"["https://api.login.yahoo.com"]"#, is: .malformedClaim("iss"))
    }

    @Test("IDT-47: A token of a foreign issuer is refused, and that issuer gets no request")
    func foreignIssuer() async throws {
        let proof = try Proof()
        let foreign = proof.token.setting("iss", to: .string("https://evil.example"))
            .settingHeader("jku", to: .string("https://evil.example/keys")).signed(by: .foreignCurve)
        await check(foreign, in: proof, is: .signatureInvalid)
        await check(
            foreign.settingHeader("kid", to: .string("evil")), in: proof, is: .unknownKey)
        #expect(proof.deployment.peer.requests.allSatisfy { $0.url == Yahoo.keys })
    }

    @Test("If nothing verifies the signature, the operator reads whether iss is another issuer, and not which one")
    func unverifiedIssuer() async throws {
        let proof = try Proof()
        let token = proof.token
        let cases: [(IDTokenBuilder, JOSEError, String)] = [
            (token.signed(by: .foreignCurve), .signatureInvalid, "If other tokens of the provider with the same kid"),
            (
                token.settingHeader("kid", to: .string("x")), .unknownKey,
                "The token has a kid that begins with x (length 1), and"
            ),
            (
                token.settingHeader("kid", to: .string(TestKeys.rsaKeyID)), .keyForOtherAlgorithm,
                "The token is signed with ES256, and the key with its kid"
            ),
            (token.settingHeader("alg", to: .string("RS384")), .algorithmNotAllowed, "Choose one of RS256, "),
        ]
        func advice(_ token: IDTokenBuilder, _ expected: JOSEError) async -> String {
            do {
                _ = try await proof.verify(token)
                Issue.record("The token was accepted.")
                return ""
            } catch {
                let refusal = Refusal(error)
                #expect(refusal.reason == expected.refusal.reason && refusal.finding == expected.sentence)
                return (refusal.cause as? any AdvisingCause)?.advice ?? ""
            }
        }
        for (token, error, words) in cases {
            let own = await advice(token, error)
            #expect(own.hasPrefix(words), "\(own)")
            for issuer in [#""https://appleid.apple.com""#, #""https://api.login.yahoo.com/""#, nil] {
                let other = await advice(token.setting("iss", toText: issuer), error)
                #expect(
                    other.hasPrefix("iss of the token, whose signature is not verified, is not \(Yahoo.issuer). If an"),
                    "\(other)")
                #expect(other.hasSuffix(" If this provider sent it: \(own)") && !other.contains("appleid"), "\(other)")
            }
        }
    }

    @Test(
        "IDT-19, IDT-23: A token for another client is refused, however similar its id is",
        arguments: [
            "another-client", "", "dj0yJmk9dGVzdA--x", "xdj0yJmk9dGVzdA--", "DJ0YJMK9DGVZDA--", "dj0yJmk9dGVzdA-- ",
            "dj0yJmk9dGVzdA.*", "dj0yJmk9dGVzdA-", Generic.clientID,
        ])
    func otherAudience(_ audience: String) async throws {
        try await check("aud", #""\#(audience)""#, is: .audienceMismatch(expected: Proof.audiences))
        try await check("aud", #"["\#(audience)"]"#, is: .audienceMismatch(expected: Proof.audiences))
    }

    @Test(
        "IDT-20: A token without an audience is refused",
        arguments: [
            (nil, .missingClaim("aud")), ("[]", .malformedClaim("aud")), ("null", .missingClaim("aud")),
            ("0", .malformedClaim("aud")), ("{}", .malformedClaim("aud")), ("true", .malformedClaim("aud")),
            (#"["dj0yJmk9dGVzdA--", 1]"#, .malformedClaim("aud")),
        ] as [(String?, JOSEError)])
    func noAudience(_ audience: String?, _ error: JOSEError) async throws {
        try await check("aud", audience, is: error)
    }

    @Test(
        "IDT-21: A token for this client and another one is refused, whatever the authorized party is",
        arguments: [nil, #""another-client""#, #""dj0yJmk9dGVzdA--""#])
    func severalAudiences(_ party: String?) async throws {
        let proof = try Proof()
        let audiences = JSON.array([.string(Yahoo.clientID), .string("another-client")])
        await check(
            proof.token.setting("aud", to: audiences).setting("azp", toText: party), in: proof, is: .severalAudiences)
    }

    @Test("IDT-21: A token for this client may name only clients of this deployment as the authorized party")
    func authorizedParty() async throws {
        let proof = try Proof()
        _ = try await proof.verify(proof.token.setting("azp", to: .string(Yahoo.clientID)))
        _ = try await proof.verify(
            proof.token.setting("azp", to: .string(Yahoo.phoneClientID)).setting("jti", to: .string("2")))
        try await check("azp", #""another-client""#, is: .authorizedPartyMismatch(expected: Proof.audiences))
        try await check("azp", "1", is: .malformedClaim("azp"))
    }

    @Test(
        "The operator reads what the token names, and the setting that would accept it",
        arguments: [
            (
                "iss", #""https://api.login.yahoo.com/""#,
                "The token names the issuer https://api.login.yahoo.com/. If the provider's documentation has it",
                "write both below endpoints.issuer, the configured one first, and keep issuer"
            ),
            ("aud", #""another-client""#, "the audience another-client", "client_ids"),
            (
                "aud", #"["dj0yJmk9dGVzdA--", "dj0yJmk9cGhvbmU-"]"#,
                "the audiences dj0yJmk9dGVzdA--, dj0yJmk9cGhvbmU- and no azp",
                "the provider has to add it, or to name only the client id in aud"
            ),
            (
                "aud", #"["dj0yJmk9dGVzdA--", "project-1"]"#, "the audience dj0yJmk9dGVzdA--, project-1",
                "trusted_audiences"
            ),
            ("azp", #""another-client""#, "(azp) another-client", "client_ids"),
            (
                "aud", #""project-1 dj0yJmk9cGhvbmU-""#, "a text in aud, which is project-1 dj0yJmk9cGhvbmU-. If",
                "the provider has to send them as a list of texts (RFC 7519 section 4.1.3)"
            ),
        ])
    func advice(_ claim: String, _ value: String, _ found: String, _ setting: String) async throws {
        let proof = try Proof()
        do {
            _ = try await proof.verify(proof.token.setting(claim, toText: value))
            Issue.record("The token was accepted.")
        } catch {
            let advice = (Refusal(error).cause as? any AdvisingCause)?.advice ?? ""
            #expect(advice.contains(found) && advice.contains(setting), "\(advice)")
        }
    }

    @Test("The advice on a token that is not base64url names what stands around one")
    func notBase64URL() {
        #expect(JOSEError.malformedBase64URL.advice?.hasSuffix("= and the word Bearer.") == true)
    }

    // MARK: Nonce and subject

    @Test(
        "IDT-28: A token without the right nonce is refused",
        arguments: [
            (nil, .missingClaim("nonce")), (#""another""#, .nonceMismatch), (#""""#, .nonceMismatch),
            (#""THE-NONCE""#, .nonceMismatch), (#""the-nonce ""#, .nonceMismatch),
            (#"["the-nonce"]"#, .malformedClaim("nonce")), ("{}", .malformedClaim("nonce")),
            ("null", .missingClaim("nonce")), ("0", .malformedClaim("nonce")),
        ] as [(String?, JOSEError)])
    func nonce(_ nonce: String?, _ error: JOSEError) async throws {
        try await check("nonce", nonce, is: error)
    }

    @Test(
        "The operator reads what the nonce of a token and the expected one have in common",
        arguments: [
            ("q 1/zA==xxxxxxxx", "q+1/zA==xxxxxxxx", "was not sent as %2B"),
            ("THE-NONCE", "the-nonce", "upper and lower case"),
            ("aGFzaA==", "aGFzaA", "= at the end"),
            ("raw-nonce-1", "vvU7PEXMHeS370JOGIMYltwEBlx5tCJQQx-mnNEj4eM", "must have the SHA-256"),
            ("bef53b3c45cc1de4b7ef424e18831896dc04065c79b42250431fa69cd123e1e3", "raw-nonce-1", "write nonce: client;"),
            ("vvU7PEXMHeS370JOGIMYltwEBlx5tCJQQx-mnNEj4eM", "raw-nonce-1", "write nonce: client;"),
            ("another", "raw-nonce-1", nil),
        ] as [(String, String, String?)])
    func nonceDifference(_ found: String, _ expected: String, _ words: String?) async throws {
        let proof = try Proof()
        let error = await #expect(throws: (any Error).self) {
            try await proof.verify(proof.token.setting("nonce", to: .string(found)), nonces: [expected])
        }
        let refusal = try Refusal(#require(error))
        #expect(refusal == JOSEError.nonceMismatch.refusal)
        let advice = (refusal.cause as? any AdvisingCause)?.advice
        #expect(words.map { advice?.contains($0) == true } ?? (advice == nil), "\(advice ?? "none")")
        // An operator may read the log long before the token ends.
        #expect(advice?.contains(found) != true && advice?.contains(expected) != true)
    }

    @Test("IDT-28: A nonce in the header does not count")
    func nonceInHeader() async throws {
        let proof = try Proof()
        await check(
            proof.token.setting("nonce", to: nil).settingHeader("nonce", to: .string(Proof.nonce)), in: proof,
            is: .missingClaim("nonce"))
    }

    @Test(
        "IDT-29: A token without a subject, or with a malformed one, is refused",
        arguments: [
            (nil, .missingClaim("sub")), (#""""#, .malformedClaim("sub")), ("1", .malformedClaim("sub")),
            (#"["victim","attacker"]"#, .malformedClaim("sub")), (#"["attacker","victim"]"#, .malformedClaim("sub")),
            (#"" ""#, .malformedClaim("sub")), (#""\t""#, .malformedClaim("sub")),
            (#""a\u0002b""#, .malformedClaim("sub")),
            // Azure AD B2C writes it for every person.
            (#""Not supported currently. Use oid claim.""#, .missingClaim("sub")), ("null", .missingClaim("sub")),
            ("\"" + String(repeating: "a", count: 256) + "\"", .malformedClaim("sub")),
            // These cannot be represented.
            (#""\u0000""#, .malformedClaim("sub")), (#""a\u0000b""#, .malformedClaim("sub")),
            (#""\ud800""#, .malformedClaim("sub")),
        ] as [(String?, JOSEError)])
    func subject(_ subject: String?, _ error: JOSEError) async throws {
        try await check("sub", subject, is: error)
    }

    @Test("IDT-30: A repeated claim is refused, in either order")
    func twice() async throws {
        try await check("sub", #""victim","sub":"attacker""#, is: .malformedClaim("sub"))
        try await check("aud", #""dj0yJmk9dGVzdA--","aud":"x""#, is: .malformedClaim("aud"))
        try await check("nonce", #""x","\u006eonce":"the-nonce""#, is: .malformedClaim("nonce"))
        for name in ["iss", "sub", "aud", "exp", "iat", "nonce", "azp", "nbf"] {
            // The same value twice, and null beside a value, count as little.
            for value in ["\"x\"", "1", "null"] {
                try await check(name, "\(value),\"\(name)\":\(value)", is: .malformedClaim(name))
            }
        }
    }

    @Test("A repeated claim that proves nothing is left out")
    func repeatedAddress() async throws {
        let proof = try Proof()
        let token = proof.token.setting("address", toText: #"{"locality":"X"},"address":{"locality":"X"}"#)
            .setting("locale", toText: #""de","locale":"de""#)
        let identity = try await proof.verify(token)
        #expect(identity.subject.text == Yahoo.subject && identity.profile.name == "Ann Example")
        #expect(identity.profile.locale == nil)
        let nested = proof.token.setting("address", toText: #"{"locality":"X","locality":"X"}"#)
            .setting("jti", to: .string("2"))
        #expect(try await proof.verify(nested).profileRefusal == nil)
    }

    @Test("IDT-17, IDT-52: Only sub is the identity: no copy in the header, no name and no address")
    func otherNames() async throws {
        let proof = try Proof()
        let token = proof.token.setting("sub", to: .string("attacker"))
            .setting("name", to: .string("Victim")).setting("preferred_username", to: .string("victim"))
            .setting("email", to: .string("victim@example.org")).settingHeader("sub", to: .string("victim"))
            .settingHeader("iss", to: .string("x"))
        #expect(try await proof.verify(token).subject == "attacker")
    }

    @Test("IDT-49: Tokens of Google and of this server are not accepted as ID tokens of Yahoo")
    func tokensOfOthers() async throws {
        let proof = try Proof()
        let issuers = [
            "https://securetoken.google.com/project", "https://session.firebase.google.com/project",
            "https://accounts.google.com", Deployment.accountEmail,
        ]
        for issuer in issuers {
            // Signed by another key, with an id that Yahoo does not have.
            let token = proof.token.setting("iss", to: .string(issuer)).settingHeader("alg", to: .string("RS256"))
                .settingHeader("kid", to: .string("google")).signed(by: .foreignRSA)
            await check(token, in: proof, is: .unknownKey)
            // Even if Yahoo itself had signed it.
            await check(
                proof.token.setting("iss", to: .string(issuer)), in: proof,
                is: .issuerMismatch(expected: [Yahoo.issuer]))
        }
    }

    @Test("A token of the generic provider is not accepted as one of Yahoo, though the same key signed it")
    func otherProvider() async throws {
        let proof = try Proof()
        await check(
            .generic(nonce: Proof.nonce), in: proof, is: .issuerMismatch(expected: [Yahoo.issuer]))
    }
}
