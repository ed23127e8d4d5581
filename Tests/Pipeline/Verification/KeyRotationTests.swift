import JOSE
import Jansson
import Providers
import Standards
internal import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Keys of a provider")
struct KeyRotationTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
    }

    private var fetches: Int { proof.deployment.peer.requests(to: Yahoo.keys).count }

    private func rotate() throws {
        let rotated = try TestKeys.shared.rotatedKeySet(curve: "curve-2", rsa: "rsa-2")
        proof.deployment.peer.script(.get, Yahoo.keys, .json(rotated))
    }

    /// A token of Yahoo after a key rotation.
    private var rotatedToken: IDTokenBuilder {
        proof.token.settingHeader("kid", to: .string("curve-2")).signed(by: .foreignCurve)
    }

    @Test("The key set is fetched once for all tokens")
    func fetchedOnce() async throws {
        for number in 1...5 {
            _ = try await proof.verify(proof.token.setting("jti", to: .integer(Int64(number))))
        }
        #expect(fetches == 1)
    }

    @Test("JW-03: A token with a new key causes one fetch of the key set, and is accepted")
    func rotation() async throws {
        _ = try await proof.verify(proof.token)
        try rotate()
        proof.deployment.clock.advance(by: .seconds(60))
        #expect(try await proof.verify(rotatedToken).subject.text == Yahoo.subject)
        #expect(fetches == 2)
    }

    @Test("JW-04: A token with a removed key is refused after the next fetch")
    func removedKey() async throws {
        try rotate()
        await expectRefusal(JOSEError.unknownKey.refusal) { try await proof.verify(proof.token) }
    }

    @Test("JW-01: Tokens with unknown keys cause one fetch of the key set per cool-down period")
    func unknownKeys() async throws {
        _ = try await proof.verify(proof.token)
        for number in 1...100 {
            let token = proof.token.settingHeader("kid", to: .string("unknown-\(number)"))
            await expectRefusal(JOSEError.unknownKey.refusal) { try await proof.verify(token) }
        }
        #expect(fetches == 2)
        _ = try await proof.verify(proof.token.setting("jti", to: .string("2")))
        proof.deployment.clock.advance(by: .seconds(30))
        await expectRefusal(JOSEError.unknownKey.refusal) {
            try await proof.verify(proof.token.settingHeader("kid", to: .string("unknown")))
        }
        #expect(fetches == 3)
    }

    @Test("JW-01: A hundred of them at once cause one fetch")
    func unknownKeysAtOnce() async throws {
        _ = try await proof.verify(proof.token)
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        _ = try await proof.verify(
                            proof.token.settingHeader("kid", to: .string("unknown-\(number)")))
                        return false
                    } catch {
                        return Refusal(error) == JOSEError.unknownKey.refusal
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refusals == 100)
        #expect(fetches == 2)
    }

    @Test("Tokens with a known key and a wrong signature cause one fetch of the key set per cool-down period")
    func wrongSignature() async throws {
        _ = try await proof.verify(proof.token)
        for number: Int64 in 1...100 {
            let token = proof.token.setting("jti", to: .integer(number)).signed(by: .foreignCurve)
            await expectRefusal(JOSEError.signatureInvalid.refusal) { try await proof.verify(token) }
        }
        #expect(fetches == 2)
    }

    @Test("If the key set cannot be fetched again, a wrong signature is refused as one")
    func wrongSignatureWithoutKeys() async throws {
        _ = try await proof.verify(proof.token)
        proof.deployment.peer.script(.get, Yahoo.keys, .status(500))
        for _ in 1...2 {
            await expectRefusal(JOSEError.signatureInvalid.refusal) {
                try await proof.verify(proof.token.signed(by: .foreignCurve))
            }
        }
    }

    @Test("A provider that was installed anew has another key under the same kid, which verifies its tokens")
    func sameKeyID() async throws {
        _ = try await proof.verify(proof.token)
        proof.deployment.peer.script(
            .get, Yahoo.keys, .json(try TestKeys.shared.rotatedKeySet(curve: TestKeys.curveKeyID, rsa: "rsa-2")))
        proof.deployment.clock.advance(by: .seconds(60))
        let token = proof.token.setting("jti", to: .integer(2)).signed(by: .foreignCurve)
        #expect(try await proof.verify(token).subject.text == Yahoo.subject)
        await expectRefusal(JOSEError.signatureInvalid.refusal) {
            try await proof.verify(proof.token.setting("jti", to: .integer(3)))
        }
        #expect(fetches == 2)
    }

    @Test(
        "JW-05, JW-14: A response that is not a key set does not replace one",
        arguments: [
            ScriptedAnswer.page(), .json("null"), .json("[]"), .json(#"{"keys":1}"#), .status(500), .status(404),
            .failure(.unreachable(host: "api.login.yahoo.com")),
        ])
    func poisoned(_ answer: ScriptedAnswer) async throws {
        _ = try await proof.verify(proof.token)
        proof.deployment.peer.script(.get, Yahoo.keys, answer)
        proof.deployment.clock.advance(by: .seconds(4000))
        _ = try await proof.verify(proof.token)
    }

    @Test("JW-08: A redirect to other keys is not followed")
    func redirect() async throws {
        proof.deployment.peer.script(
            .get, Yahoo.keys, .status(302, header: [HeaderField("Location", "https://evil.example/keys")]))
        await expectRefusal(ProviderFailure.document(.redirected(to: "https://evil.example")).refusal.unspent) {
            try await proof.verify(proof.token)
        }
        #expect(proof.deployment.peer.requests.count == 1)
    }

    @Test("Without any key set nothing is spent, and a posted token can be sent again")
    func noKeys() async throws {
        let error = TransportError.unreachable(host: "api.login.yahoo.com")
        proof.deployment.peer.script(.get, Yahoo.keys, .failure(error))
        await expectRefusal(ProviderFailure.document(.unreachable(error)).refusal.unspent) {
            try await proof.verify(proof.token)
        }
        #expect(proof.deployment.store.calls.isEmpty)
        proof.deployment.peer.script(.get, Yahoo.keys, .json(try TestKeys.shared.keySet()))
        proof.deployment.clock.advance(by: .seconds(30))
        _ = try await proof.verify(proof.token)
    }

    @Test(
        "A failure at the address of the keys is told as one of the keys",
        arguments: [
            (.json(#"{"error":"unauthorized"}"#, status: 401), .keysRefused(status: 401)),
            (.status(404), .keysRefused(status: 404)), (.status(503), .keysRefused(status: 503)),
            (.json("{}"), .noKeySet(.objectWithoutKeys)),
            (.json("[]"), .noKeySet(.other("a list"))), (.page(), .noKeySet(.other("a page"))),
            (.json(""), .noKeySet(.other("empty"))),
            (.json(#"{"keys":1}"#), .noKeySet(.other("an object whose keys is a number"))),
            (
                .json(#"{"keys":[{"kid":"a","kid":"b"}]}"#),
                .noKeySet(.other("a set of more than 250 keys, or with a member twice, or with too many levels"))
            ),
            (
                .json(#"{"keys":[\#(Array(repeating: "{}", count: 251).joined(separator: ","))]}"#),
                .noKeySet(.other("a set of more than 250 keys, or with a member twice, or with too many levels"))
            ),
            // Google's oauth2/v1/certs.
            (
                .json(#"{"k1":"-----BEGIN CERTIFICATE-----\nMIIB","k9":"-----BEGIN CERTIFICATE-----\nMIIC"}"#),
                .noKeySet(.certificates)
            ),
            (.json("-----BEGIN CERTIFICATE-----\nMIIB"), .noKeySet(.certificates)),
            (.json(#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#), .noKeySet(.singleKeys)),
            (.json(#"[{"kty":"RSA","n":"AQAB","e":"AQAB"}]"#), .noKeySet(.singleKeys)),
            (.json(#"{"keys":{"0":{"kty":"RSA","n":"AQAB","e":"AQAB"}}}"#), .noKeySet(.objectOfKeys)),
        ] as [(ScriptedAnswer, DocumentError)])
    func keysRefused(_ answer: ScriptedAnswer, _ error: DocumentError) async throws {
        proof.deployment.peer.script(.get, Yahoo.keys, answer)
        await expectRefusal(ProviderFailure.document(error).refusal.unspent) { try await proof.verify(proof.token) }
        #expect(error.sentence.contains("at the address of its keys"))
    }

    @Test("If the key with the kid is for another algorithm, the log names both")
    func keyOfOtherAlgorithm() async throws {
        let error = await #expect(throws: (any Error).self) {
            try await proof.verify(proof.token.settingHeader("kid", to: .string(TestKeys.rsaKeyID)))
        }
        let mismatch = try #require(error.map(Refusal.init)?.cause as? ClaimsMismatch)
        #expect(mismatch.error == .keyForOtherAlgorithm)
        let advice = mismatch.advice ?? ""
        #expect(
            advice.contains("signed with ES256") && advice.contains("RS256") && !advice.contains("doctor"), "\(advice)")
    }

    @Test("If the key with the kid of the token is published and cannot be used, the log says why")
    func unusableKey() async throws {
        let keys = try TestKeys.shared.keySet().replacing(#""use":"sig""#, with: #""use":"enc""#)
        proof.deployment.peer.script(.get, Yahoo.keys, .json(keys))
        let error = await #expect(throws: (any Error).self) { try await proof.verify(proof.token) }
        let mismatch = try #require(error.map(Refusal.init)?.cause as? ClaimsMismatch)
        #expect(mismatch.error == .unknownKey)
        let words = "has the key with the kid of the token, and it cannot be used, because use is not sig: "
        #expect(mismatch.advice?.contains(words) == true)
    }

    @Test("The log names the kid of a token with an unknown key, and the published ones")
    func namedKeys() async throws {
        let token = proof.token.settingHeader("kid", to: .string(".other-thumbprint"))
        let error = await #expect(throws: (any Error).self) { try await proof.verify(token) }
        let mismatch = try #require(error.map(Refusal.init)?.cause as? ClaimsMismatch)
        let keys = try proof.deployment.openIDConnect(of: proof.deployment.yahoo).keys
        let published = try await keys.value().keys.compactMap(\.id?.text)
        #expect(!published.isEmpty && mismatch.error == .unknownKey)
        for words in published + ["begins with .other-t (length 17), and"] {
            #expect(mismatch.advice?.contains(words) == true)
        }
        #expect(mismatch.advice?.contains("thumbprint") == false)
    }

    @Test("If the kid of a token begins with a published one, the log shows where they differ")
    func similarKey() async throws {
        let keys = try proof.deployment.openIDConnect(of: proof.deployment.yahoo).keys
        let published = try #require(try await keys.value().keys.compactMap(\.id?.text).first)
        let token = proof.token.settingHeader("kid", to: .string(published + "_RS256-secret"))
        let error = await #expect(throws: (any Error).self) { try await proof.verify(token) }
        let advice = (error.map(Refusal.init)?.cause as? ClaimsMismatch)?.advice ?? ""
        let words = "The token has a kid that begins with \(published)_RS256-s (length \(published.count + 13)), and"
        #expect(advice.hasPrefix(words), "\(advice)")
        #expect(advice.contains("under the kid of its tokens") && !advice.contains("secret"), "\(advice)")
    }

    @Test(
        "If the provider can sign with keys of one application, the log names their address",
        arguments: [("https://login.microsoftonline.com/t/v2.0", true), (Yahoo.issuer, false)])
    func applicationKeys(_ issuer: String, _ isNamed: Bool) async throws {
        let proof = try Proof { $0.yahoo.endpoints.issuers = [issuer] }
        let token = proof.token.setting("iss", to: .string(issuer)).settingHeader("kid", to: .string("other"))
        let error = await #expect(throws: (any Error).self) { try await proof.verify(token) }
        let advice = (error.map(Refusal.init)?.cause as? ClaimsMismatch)?.advice ?? ""
        let words =
            " If the application has signing keys of its own there (claims mapping), write "
            + "\(Yahoo.keys)?appid=\(Yahoo.clientID) as endpoints.jwks."
        #expect(advice.hasPrefix("The token has a kid") && advice.hasSuffix(words) == isNamed, "\(advice)")
    }

    @Test(
        "If the newest key set has no usable key, the log tells whether it is empty",
        arguments: [(#"{"keys":[]}"#, "publishes an empty key set."), (#"{"keys":[1]}"#, "publishes no usable key.")])
    func noUsableKeys(_ set: String, _ words: String) async throws {
        _ = try await proof.verify(proof.token)
        proof.deployment.peer.script(.get, Yahoo.keys, .json(set))
        proof.deployment.clock.advance(by: .seconds(60))
        let error = await #expect(throws: (any Error).self) { try await proof.verify(rotatedToken) }
        let mismatch = try #require(error.map(Refusal.init)?.cause as? ClaimsMismatch)
        #expect(mismatch.error == .unknownKey && mismatch.advice?.contains(words) == true)
    }

    @Test("If the new key set cannot be fetched, a token with an unknown key is not reported as wrong")
    func noNewerKeys() async throws {
        _ = try await proof.verify(proof.token)
        proof.deployment.peer.script(.get, Yahoo.keys, .status(503))
        await expectRefusal(ProviderFailure.document(.keysRefused(status: 503)).refusal.unspent) {
            try await proof.verify(rotatedToken)
        }
    }

    @Test("JW-15: The keys of one provider verify no token of another")
    func otherProvider() async throws {
        let deployment = proof.deployment
        deployment.peer.script(
            .get, Generic.keys, .json(try TestKeys.shared.rotatedKeySet(curve: "curve-2", rsa: "rsa-2")))
        _ = try await deployment.openIDConnect(of: deployment.generic).keys.value()
        await expectRefusal(JOSEError.unknownKey.refusal) { try await proof.verify(rotatedToken) }
    }

    @Test("A token without kid is verified if the set has one key of its algorithm")
    func noKeyID() async throws {
        let token = proof.token.settingHeader("kid", to: nil)
        #expect(try await proof.verify(token).subject.text == Yahoo.subject)
        await expectRefusal(JOSEError.signatureInvalid.refusal) {
            try await proof.verify(token.signed(by: .foreignCurve))
        }
    }
}
