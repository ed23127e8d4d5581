import Exchange
import JOSE
import Standards
import Support
import Testing
import Transport
import Verification

@testable import Providers

/// Property tests of what providers send: what proves something is strict, and what is carried is left out if it is odd.
///
/// | document | must have | may have | a member that is null, of another type, too long or unknown |
/// | --- | --- | --- | --- |
/// | token response | `id_token`, or `access_token` at a provider without OpenID Connect | every other member | is left out |
/// | userinfo | the `sub` of the ID token, if any | the profile | is left out |
/// | metadata | `issuer` and three endpoints | every other member | is left out |
/// | key set | `keys` | entries that are no usable keys | costs only its entry |
///
/// A member that occurs twice counts as one of another type in each of them, except that a key set is refused.
@Suite("Odd members")
struct OddMemberTests {
    /// JSON texts that no member of a provider's document should have.
    private static let odd = [
        "null", "true", "0", "-1", "1.5", "1e400", "99999999999999999999", #""""#, #""\u0000""#, #""a\u0000b""#,
        #""\ud800""#, #""\u0007""#, "\"a\u{1}b\"", "\"" + String(repeating: "x", count: 3000) + "\"", "[]", "{}",
        "[null]", #"{"a":{"b":[null,"\u0000",1e400]}}"#,
    ]

    /// A sequence of numbers that depends only on its seed.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            // SplitMix64.
            state &+= 0x9E37_79B9_7F4A_7C15
            var number = state
            number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
            number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
            return number ^ (number >> 31)
        }
    }

    /// An object with the needed members, and some of the others with odd values, in any order.
    private func object(_ needed: [String: String], odd names: [String], seed: UInt64) -> String {
        var numbers = Numbers(state: seed)
        var members = needed.map { "\"\($0.key)\":\($0.value)" }
        for name in names + ["unknown", "x-\(seed)"] where Bool.random(using: &numbers) {
            members.append("\"\(name)\":\(Self.odd[Int.random(in: Self.odd.indices, using: &numbers)])")
        }
        return "{" + members.shuffled(using: &numbers).joined(separator: ",") + "}"
    }

    @Test("Token responses", arguments: 1...60 as ClosedRange<UInt64>)
    func tokenResponse(_ seed: UInt64) async throws {
        let names = ["expires_in", "refresh_token", "scope", "ext_expires_in", "expires_on", "not-before-policy"]
        let redemption = try Redemption(.generic)
        redemption.script(.json(object(["access_token": #""a""#, "id_token": #""i""#], odd: names, seed: seed)))
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken?.secret.secretText == "a" && tokens.idToken?.secret.secretText == "i")
        #expect(tokens.refreshToken?.secret.secretText.hasPrefix("xxx") ?? true)
        #expect(tokens.expiresIn.map { $0 == 1 } ?? true)
        let withoutAccess = try Redemption(.generic)
        withoutAccess.script(.json(object(["id_token": #""i""#], odd: names + ["access_token"], seed: seed)))
        #expect(try await withoutAccess.redeem().accessToken?.secret.secretText.contains("\u{1}") != true)
    }

    @Test(
        "A token response without a usable ID token",
        arguments: odd.filter { !$0.contains("xxx") && !$0.contains("0007") })
    func idToken(_ value: String) async throws {
        let redemption = try Redemption(.generic)
        redemption.script(.json(#"{"access_token":"a","id_token":\#(value)}"#))
        await expectRefusal(.providerResponseInvalid, isUnspent: false) { try await redemption.redeem() }
    }

    @Test("Userinfo", arguments: 1...60 as ClosedRange<UInt64>)
    func userInfo(_ seed: UInt64) async throws {
        let proof = try Proof()
        let names = [
            "name", "given_name", "family_name", "picture", "locale", "preferred_username", "email", "address",
        ]
        proof.deployment.peer.script(
            .get, Yahoo.userInfo, .json(object(["sub": "\"\(Yahoo.subject)\""], odd: names, seed: seed)))
        let identity = try await proof.verify(
            proof.token.vouching(for: Yahoo.accessToken), accessToken: Yahoo.accessToken)
        #expect(identity.subject.text == Yahoo.subject && identity.isProfileWhole)
        let profile = identity.profile
        let texts = [
            profile.name, profile.givenName, profile.familyName, profile.picture, profile.locale, profile.screenName,
        ]
        for text in texts.compactMap(\.self) {
            #expect(text.utf8.count <= 2048 && !text.unicodeScalars.contains { $0.value < 0x20 })
        }
    }

    @Test("Metadata", arguments: 1...60 as ClosedRange<UInt64>)
    func metadata(_ seed: UInt64) throws {
        let needed = [
            "issuer": #""https://op.example""#, "authorization_endpoint": #""https://op.example/a""#,
            "token_endpoint": #""https://op.example/t""#, "jwks_uri": #""https://op.example/k""#,
        ]
        let names = [
            "userinfo_endpoint", "revocation_endpoint", "scopes_supported", "claims_supported", "end_session_endpoint",
            "authorization_response_iss_parameter_supported",
        ]
        let endpoints = try ProviderMetadata.parse(
            Array(object(needed, odd: names, seed: seed).utf8), issuer: "https://op.example",
            overrides: EndpointOverrides())
        #expect(endpoints.token == "https://op.example/t" && endpoints.userInfo == nil && endpoints.revocation == nil)
        #expect(endpoints.algorithms == nil)
    }

    @Test("Key sets", arguments: 1...60 as ClosedRange<UInt64>)
    func keySet(_ seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        let good =
            #"{"kty":"EC","crv":"P-256","kid":"good","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
            + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","created":null,"note":"\u0000"}"#
        var entries = (0..<Int.random(in: 0...5, using: &numbers)).map { number in
            object(
                ["kid": "\"odd-\(number)\""], odd: ["kty", "n", "e", "crv", "x", "y", "alg", "use", "key_ops", "x5c"],
                seed: seed &* 31 &+ UInt64(number))
        }
        entries += Self.odd.filter { !$0.contains("xxx") }.prefix(Int.random(in: 0...8, using: &numbers))
        entries.append(good)
        entries.shuffle(using: &numbers)
        let text = #"{"keys":[\#(entries.joined(separator: ","))],"unknown":null}"#
        let keys = try JWKSet.parse(Array(text.utf8))
        #expect(keys.keys.map(\.id) == [KeyID("good")] && keys.refused.count == entries.count - 1)
    }

    @Test("A member that occurs twice is not read, because readers differ in which of the two they take")
    func repeated() async throws {
        let redemption = try Redemption(.generic)
        redemption.script(.json(#"{"access_token":"a","id_token":"i","scope":"x","scope":"y"}"#))
        #expect(try await redemption.redeem().scope == nil)
        let twice = try Redemption(.generic)
        twice.script(.json(#"{"access_token":"a","id_token":"i","id_token":"i"}"#))
        let found = "two members of that name, a number out of range, or a text that cannot be read"
        await expectRefusal(ProviderFailure.malformedResponse("id_token", found: "it is \(found)").refusal.spent) {
            try await twice.redeem()
        }
        #expect(throws: JOSEError.malformedKeySet) { try JWKSet.parse(Array(#"{"keys":[],"a":1,"a":2}"#.utf8)) }
        #expect(throws: DocumentError.unlikeMetadata("it names no issuer")) {
            try ProviderMetadata.parse(
                Array(#"{"issuer":"https://op.example","issuer":"https://op.example"}"#.utf8),
                issuer: "https://op.example", overrides: EndpointOverrides())
        }
    }

    @Test("Metadata that says something twice which makes a rule stricter does not count as saying nothing")
    func repeatedRules() throws {
        let document = #"""
            {"issuer":"https://op.example","authorization_endpoint":"https://op.example/a",
             "token_endpoint":"https://op.example/t","jwks_uri":"https://op.example/k",
             "authorization_response_iss_parameter_supported":false,"authorization_response_iss_parameter_supported":true,
             "id_token_signing_alg_values_supported":["RS256"],"id_token_signing_alg_values_supported":["ES256"]}
            """#
        let endpoints = try ProviderMetadata.parse(
            Array(document.utf8), issuer: "https://op.example", overrides: EndpointOverrides())
        #expect(endpoints.sendsIssuer && endpoints.algorithms?.isEmpty == true)
    }
}
