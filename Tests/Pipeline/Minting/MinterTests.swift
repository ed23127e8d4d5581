import Accounts
import Firebase
import JOSE
import Jansson
import Minting
import OpenSSL
import Standards
import Support
import Testing

@Suite("Custom tokens")
struct CustomTokenTests {
    private static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    private func mint(
        lifetime: Duration = .seconds(300), tenantID: String? = nil,
        _ change: (inout DeploymentPlan) -> Void = { _ in },
        identity: (inout IDTokenBuilder) -> Void = { _ in }
    ) async throws -> CustomToken {
        let deployment = try Deployment(change)
        let account = try await deployment.accounts.findOrMake(deployment.yahooIdentity(identity))
        return try await deployment.minter.mint(
            try await deployment.cleared(account), for: DeploymentPlan.app, lifetime: lifetime, tenantID: tenantID)
    }

    @Test("MT-02: A custom token has exactly the members that Firebase requires, and the service account's signature")
    func baseline() async throws {
        let token = try await mint()
        let minted = try MintedToken(token.secret)
        #expect(
            minted.header
                == .object(["alg": .string("RS256"), "typ": .string("JWT"), "kid": .string("account-key-1")]))
        #expect(
            minted.payload
                == .object([
                    "aud": .string(Self.audience), "iss": .string(Deployment.accountEmail),
                    "sub": .string(Deployment.accountEmail), "iat": .integer(1_700_000_000),
                    "exp": .integer(1_700_000_300), "uid": .string("yahoo.com:" + Yahoo.subject),
                    "claims": .object(["idp": .string("yahoo.com")]),
                ]))
        #expect(try minted.isSigned(by: TestKeys.shared.account.publicKey))
        #expect(try !minted.isSigned(by: TestKeys.shared.rsa.publicKey))
        #expect(token.uid.text == "yahoo.com:" + Yahoo.subject)
        #expect(token.expiresIn == 300)
    }

    @Test("MT-02: Header and payload are strict JSON in one order, in canonical base64url")
    func form() async throws {
        let token = try await mint().secret.secretText
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        #expect(parts.count == 3)
        let header = try Base64URL.decode(parts[0])
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"RS256","kid":"account-key-1","typ":"JWT"}"#)
        #expect(
            String(decoding: try Base64URL.decode(parts[1]), as: UTF8.self)
                == #"{"aud":"\#(Self.audience)","claims":{"idp":"yahoo.com"},"exp":1700000300,"iat":1700000000,"#
                + #""iss":"\#(Deployment.accountEmail)","sub":"\#(Deployment.accountEmail)","#
                + #""uid":"yahoo.com:\#(Yahoo.subject)"}"#)
    }

    @Test(
        "MT-02: A lifetime is in seconds and at most an hour",
        arguments: [(1, 1), (300, 300), (3599, 3599), (3600, 3600), (3601, 3600), (86400, 3600)])
    func lifetime(_ asked: Int64, _ given: Int64) async throws {
        let token = try await mint(lifetime: .seconds(asked))
        #expect(token.expiresIn == given)
        #expect(try MintedToken(token.secret).payload["exp"] == .integer(1_700_000_000 + given))
    }

    @Test("Without developer claims the member is missing")
    func noClaims() async throws {
        let token = try await mint { $0.claimTemplates = [:] }
        #expect(try MintedToken(token.secret).payload["claims"] == nil)
    }

    @Test("MT-11: The tenant is that of the configuration")
    func tenant() async throws {
        let token = try await mint(
            tenantID: "tenant-1",
            identity: {
                $0.claims["tenant_id"] = .string("tenant-2")
            })
        #expect(try MintedToken(token.secret).payload["tenant_id"] == .string("tenant-1"))
        #expect(try await MintedToken(mint().secret).payload["tenant_id"] == nil)
    }

    @Test("MT-01: No claim of a provider is copied under its name")
    func providerClaims() async throws {
        let names = ["admin", "role", "firebase", "user_id", "uid", "claims", "tenant_id", "groups", "acr", "amr"]
        let token = try await mint(
            identity: { builder in
                for name in names { builder.claims[name] = .string("from-the-provider") }
                builder.claims["claims"] = .object(["admin": .bool(true)])
                builder.claims["auth_time"] = .integer(1)
            })
        let payload = try MintedToken(token.secret).payload
        #expect(
            payload.object?.keys.sorted() == ["aud", "claims", "exp", "iat", "iss", "sub", "uid"])
        #expect(payload["claims"] == .object(["idp": .string("yahoo.com")]))
        #expect(payload["uid"] == .string("yahoo.com:" + Yahoo.subject))
    }

    @Test("MT-08: The same account gets the same uid in each token, and each token is new")
    func again() async throws {
        let deployment = try Deployment()
        var tokens: Set<String> = []
        for _ in 0..<100 {
            let account = try await deployment.accounts.findOrMake(deployment.yahooIdentity())
            let token = try await deployment.minter.mint(
                try await deployment.cleared(account), for: DeploymentPlan.app, lifetime: .seconds(300), tenantID: nil)
            #expect(token.uid.text == "yahoo.com:" + Yahoo.subject)
            tokens.insert(token.secret.secretText)
            deployment.clock.advance(by: .seconds(1))
        }
        #expect(tokens.count == 100)
    }

    @Test("The readiness check signs an expired token")
    func readiness() async throws {
        try await Deployment().minter.check()
    }

    @Test("MT-10: Without a signature there is no token")
    func noSignature() async throws {
        let deployment = try Deployment()
        let account = try await deployment.cleared(deployment.accounts.findOrMake(deployment.yahooIdentity()))
        let minter = Minter(signer: .overloaded(), templates: ClaimTemplates([:]), time: deployment.clock.source)
        await #expect(throws: MintingError.overloaded) {
            try await minter.mint(account, for: DeploymentPlan.app, lifetime: .seconds(300), tenantID: nil)
        }
        await #expect(throws: MintingError.overloaded) { try await minter.check() }
    }
}
