import Accounts
import JOSE
import Jansson
import Minting
import OAuth
import Support
import Testing

@Suite("Claims without a sign-in")
struct AnonymousClaimTests {
    private static let proven = Reauthentication.loggedIn(at: NumericDate(1_700_000_007))

    private typealias Templates = [String: [ClaimTemplates.Segment]]

    private static let templates: Templates = [
        "idp": [.placeholder(.provider)], "idp_subject": [.placeholder(.subject)],
        "application": [.placeholder(.clientID)], "mail": [.placeholder(.email)],
        "mail_ok": [.placeholder(.emailVerified)], "proof": [.placeholder(.audienceProof)],
        "id": [.placeholder(.provider), .text("/"), .placeholder(.subject)],
    ]

    private func claims(
        _ templates: Templates, isAnonymous: Bool, reauthentication: Reauthentication? = nil
    ) async throws -> JSON? {
        let deployment = try Deployment { $0.claimTemplates = templates }
        let account =
            isAnonymous
            ? try await deployment.accounts.makeAnonymous(retention: nil)
            : try await deployment.accounts.resolve(deployment.yahooIdentity())
        let token = try await deployment.minter.mint(
            account, for: DeploymentPlan.app, lifetime: .seconds(300), tenantID: nil,
            reauthentication: reauthentication)
        return try MintedToken(token.secret).payload["claims"]
    }

    @Test("AN-06: An anonymous account's provider is anonymous, and it has no subject, no address and no proof")
    func anonymous() async throws {
        #expect(
            try await claims(Self.templates, isAnonymous: true)
                == .object([
                    "idp": .string("anonymous"), "application": .string("app"), "id": .string("anonymous/"),
                ]))
    }

    @Test("A person's claims name the provider, and never anonymous")
    func person() async throws {
        let claims = try await claims(Self.templates, isAnonymous: false)
        #expect(claims?["idp"] == .string("yahoo.com"))
        #expect(claims?["idp_subject"] == .string(Yahoo.subject))
    }

    @Test("The moment of a reauthentication is told in seconds, beside the templates, and whatever they say of it")
    func reauthentication() async throws {
        #expect(
            try await claims(["idp": [.placeholder(.provider)]], isAnonymous: false, reauthentication: Self.proven)
                == .object(["idp": .string("yahoo.com"), "reauth_time": .integer(1_700_000_007)]))
        #expect(
            try await claims([:], isAnonymous: false, reauthentication: Self.proven)
                == .object(["reauth_time": .integer(1_700_000_007)]))
        #expect(
            try await claims(["reauth_time": [.text("never")]], isAnonymous: false, reauthentication: Self.proven)
                == .object(["reauth_time": .integer(1_700_000_007)]))
        #expect(try await claims([:], isAnonymous: false) == nil)
    }
}
