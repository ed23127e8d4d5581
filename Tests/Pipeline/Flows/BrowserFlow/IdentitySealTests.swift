import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Sealed identities")
struct IdentitySealTests {
    private let deployment: Deployment
    private let seal: StoreSeal
    private let identities: IdentitySeal

    init() throws {
        deployment = try Deployment()
        seal = StoreSeal(keys: [try #require(StoreKey([UInt8](repeating: 9, count: 32)))])
        identities = IdentitySeal(seal)
    }

    @Test("An opened identity equals the sealed one")
    func roundTrip() async throws {
        for identity in [
            try await deployment.yahooIdentity(), try await deployment.xIdentity(),
            try await deployment.genericIdentity(subject: "ü\u{202E}" + Generic.subject),
        ] {
            let text = try identities.seal(identity, keepsTokens: true, for: "app")
            let opened = try #require(identities.open(text, for: "app")?.identity)
            #expect(opened.provider == identity.provider)
            #expect(opened.subject == identity.subject)
            #expect(opened.audienceProof == identity.audienceProof)
            #expect(opened.profile == identity.profile)
            #expect(opened.tokens.accessToken?.secretText == identity.tokens.accessToken?.secretText)
            #expect(opened.tokens.idToken?.secretText == identity.tokens.idToken?.secretText)
            #expect(opened.tokens.refreshToken?.secretText == identity.tokens.refreshToken?.secretText)
            #expect(opened.tokens.oauthTokenSecret?.secretText == identity.tokens.oauthTokenSecret?.secretText)
            #expect(opened.tokens.expiresIn == identity.tokens.expiresIn)
            #expect(opened.tokens.scope == identity.tokens.scope)
            #expect(opened.returnable.isEmpty, "The provider has spent its code.")
        }
    }

    @Test("The provider's tokens are left out if no client may receive them")
    func withoutTokens() async throws {
        let identity = try await deployment.xIdentity()
        #expect(identity.tokens.accessToken != nil)
        let text = try identities.seal(identity, keepsTokens: false, for: "app")
        let tokens = try #require(identities.open(text, for: "app")?.identity).tokens
        #expect(tokens.accessToken == nil && tokens.idToken == nil && tokens.refreshToken == nil)
        #expect(tokens.oauthTokenSecret == nil && tokens.expiresIn == nil && tokens.scope == nil)
    }

    @Test("The provider's answer is kept only on request, and a longer one as omitted")
    func providerProfile() async throws {
        let identity = try await deployment.yahooIdentity()
        let profile = try #require(identity.returnedProfile)
        let kept = try identities.seal(identity, keepsTokens: false, keepsProfile: true, for: "app")
        #expect(identities.open(kept, for: "app")?.identity.returnedProfile == profile)
        let dropped = try identities.seal(identity, keepsTokens: true, keepsProfile: false, for: "app")
        let opened = try #require(identities.open(dropped, for: "app")?.identity)
        #expect(opened.returnedProfile == nil)
        deployment.scriptIntrospection()
        let text = String(repeating: "a", count: 16 * 1024)
        deployment.peer.script(
            .get, Generic.userInfo, .json(#"{"sub":"\#(Generic.subject)","text":"\#(text)"}"#))
        let nonce = SpentRecord(.nonce, of: [[1]], issuedAt: nil, expiresAt: deployment.clock.now + .seconds(660))
        let long = try await deployment.verifier.completed(
            deployment.verifier.verify(
                AccessToken(Generic.accessToken), nonce: nonce, with: deployment.openIDConnect(of: deployment.generic),
                of: deployment.generic))
        let omitted = try identities.seal(long, keepsTokens: false, keepsProfile: true, for: "app")
        #expect(omitted.utf8.count < 4096)
        #expect(identities.open(omitted, for: "app")?.identity.returnedProfile == .tooLong)
    }

    @Test("A sealed identity opens only for its holder")
    func otherHolder() async throws {
        let text = try identities.seal(try await deployment.yahooIdentity(), keepsTokens: false, for: "app")
        for holder in ["", "App", "app\0", "app ", "other", "app\0device\0"] {
            #expect(identities.open(text, for: holder) == nil)
        }
        #expect(identities.open(text, for: "app") != nil)
    }

    @Test(
        "If seal key and store key have the same octets, no sealed value of a client opens as an identity, nor the reverse"
    )
    func otherKind() async throws {
        let content = JSON.object([
            "provider": .string(Yahoo.id.text), "subject": .string(Yahoo.subject),
            "audience_proof": .string("authorization_code"), "profile": .object([:]),
        ])
        #expect(identities.open(try seal.seal(content, as: .identity, for: "app"), for: "app") != nil)
        let travelling = Seal(keys: [try #require(SealKey([UInt8](repeating: 9, count: 32)))])
        let text = try identities.seal(try await deployment.yahooIdentity(), keepsTokens: false, for: "app")
        for kind in SealedKind.allCases {
            #expect(identities.open(try travelling.seal(content, as: kind, for: "app"), for: "app") == nil)
            #expect(travelling.open(text, as: kind, for: "app") == nil)
        }
    }

    @Test("An incomplete identity does not open", arguments: ["provider", "subject", "audience_proof", "profile"])
    func incomplete(member: String) throws {
        var content: [String: JSON] = [
            "provider": .string(Yahoo.id.text), "subject": .string(Yahoo.subject),
            "audience_proof": .string("authorization_code"), "profile": .object([:]),
        ]
        content[member] = nil
        #expect(identities.open(try seal.seal(.object(content), as: .identity, for: "app"), for: "app") == nil)
        content[member] = .integer(7)
        if member != "profile" {
            #expect(identities.open(try seal.seal(.object(content), as: .identity, for: "app"), for: "app") == nil)
        }
    }

    @Test("Whichever bit is turned over, it does not open")
    func bits() async throws {
        let text = try identities.seal(try await deployment.yahooIdentity(), keepsTokens: false, for: "app")
        let octets = try Base64URL.decode(text)
        for index in octets.indices {
            var turned = octets
            turned[index] ^= 1 << (index % 8)
            #expect(identities.open(Base64URL.encode(turned), for: "app") == nil)
        }
        for other in ["", "A", text + "A", text + "=", String(text.dropLast()), " " + text] {
            #expect(identities.open(other, for: "app") == nil)
        }
    }

    @Test("Another key does not open it; one that was retired does")
    func keys() async throws {
        let text = try identities.seal(try await deployment.yahooIdentity(), keepsTokens: false, for: "app")
        let (old, new) = (
            try #require(StoreKey([UInt8](repeating: 9, count: 32))),
            try #require(StoreKey([UInt8](repeating: 1, count: 32)))
        )
        #expect(IdentitySeal(StoreSeal(keys: [new])).open(text, for: "app") == nil)
        #expect(IdentitySeal(StoreSeal(keys: [new, old])).open(text, for: "app") != nil)
    }

    @Test("Tokens of many kilobytes travel, too")
    func large() async throws {
        let identity = try await deployment.yahooIdentity {
            $0.claims["name"] = .string(String(repeating: "é", count: 4000))
        }
        let text = try identities.seal(identity, keepsTokens: true, for: "app")
        #expect(text.utf8.count > 8192)
        #expect(identities.open(text, for: "app")?.identity.subject.text == Yahoo.subject)
    }
}
