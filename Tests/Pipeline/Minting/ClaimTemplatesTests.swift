import Accounts
import Firebase
import JOSE
import Jansson
import Minting
import Providers
import Standards
import Support
import Testing

@Suite("Claim templates")
struct ClaimTemplateTests {
    private typealias Templates = [String: IdentityTemplate]

    private func claims(
        _ templates: Templates, client: ClientID = DeploymentPlan.app,
        identity: (inout IDTokenBuilder) -> Void = { _ in }
    ) async throws -> JSON? {
        let deployment = try Deployment { $0.claimTemplates = templates }
        let account = try await deployment.accounts.findOrMake(deployment.yahooIdentity(identity))
        let token = try await deployment.minter.mint(
            try await deployment.cleared(account), for: client, lifetime: .seconds(300), tenantID: nil)
        return try MintedToken(token.secret).payload["claims"]
    }

    @Test("A template of one placeholder becomes its value, with the type of the value")
    func values() async throws {
        let templates: Templates = [
            "idp": [.placeholder(.provider)], "idp_subject": [.placeholder(.subject)],
            "application": [.placeholder(.clientID)], "mail": [.placeholder(.email)],
            "mail_ok": [.placeholder(.emailVerified)], "proof": [.placeholder(.audienceProof)],
        ]
        #expect(
            try await claims(templates, client: DeploymentPlan.otherApp)
                == .object([
                    "idp": .string("yahoo.com"), "idp_subject": .string(Yahoo.subject),
                    "application": .string("other-app"), "mail": .string("ann@example.org"), "mail_ok": .bool(true),
                    "proof": .string("id_token_aud"),
                ]))
    }

    @Test("A template of one placeholder is left out if there is no value")
    func noValue() async throws {
        let templates: Templates = [
            "idp": [.placeholder(.provider)], "mail": [.placeholder(.email)],
            "mail_ok": [.placeholder(.emailVerified)],
        ]
        #expect(
            try await claims(templates) { $0.claims["email"] = nil } == .object(["idp": .string("yahoo.com")]))
    }

    @Test(
        "A template cannot set the claims of the server",
        arguments: ["anonymous", "reauth_time", "reauth_method"])
    func reauthentication(_ name: String) async throws {
        let templates: Templates = ["idp": [.placeholder(.provider)], name: [.placeholder(.subject)]]
        #expect(try await claims(templates) == .object(["idp": .string("yahoo.com")]))
    }

    @Test("The claim of an unverified address says so")
    func unverified() async throws {
        #expect(
            try await claims(["ok": [.placeholder(.emailVerified)]]) { $0.claims["email_verified"] = nil }
                == .object(["ok": .bool(false)]))
    }

    @Test("A template with more than a placeholder becomes text")
    func text() async throws {
        let templates: Templates = [
            "fixed": [.text("beta")],
            "id": [.placeholder(.provider), .text("/"), .placeholder(.subject)],
            "mail": [.text("<"), .placeholder(.email), .text(">")],
            "ok": [.text("verified: "), .placeholder(.emailVerified)],
        ]
        #expect(
            try await claims(templates)
                == .object([
                    "fixed": .string("beta"), "id": .string("yahoo.com/" + Yahoo.subject),
                    "mail": .string("<ann@example.org>"), "ok": .string("verified: true"),
                ]))
        #expect(
            try await claims(templates) { $0.claims["email"] = nil }
                == .object([
                    "fixed": .string("beta"), "id": .string("yahoo.com/" + Yahoo.subject), "mail": .string("<>"),
                    "ok": .string("verified: "),
                ]))
    }

    @Test("A person's name cannot add further claims")
    func injection() async throws {
        let address = #"a","admin":true,"b":"@example.org"#
        #expect(
            try await claims(["mail": [.placeholder(.email)]]) { $0.claims["email"] = .string(address) }
                == .object(["mail": .string(address)]))
    }

    @Test(
        "MT-01: A reserved name is refused, whatever the template is", arguments: DeveloperClaims.reservedNames.sorted()
    )
    func reserved(_ name: String) async throws {
        await #expect(throws: MintingError.reservedClaim(name)) {
            try await claims([name: [.text("x")], "zz": [.text("y")]])
        }
    }

    @Test("MT-06: Claims that exceed 1000 bytes by the provider's values are refused, and never cut")
    func large() async throws {
        let deployment = try Deployment { $0.claimTemplates = ["mail": [.placeholder(.email)]] }
        let account = try await deployment.accounts.findOrMake(
            deployment.yahooIdentity { $0.claims["email"] = .string(String(repeating: "a", count: 1990)) })
        await #expect(throws: MintingError.claimsTooLarge(bytes: 2001)) {
            try await deployment.minter.mint(
                try await deployment.cleared(account), for: DeploymentPlan.app, lifetime: .seconds(300), tenantID: nil)
        }
    }
}

@Suite("Claims without a sign-in")
struct AnonymousClaimTests {
    private static let proven = Reauthentication.loggedIn(at: NumericDate(1_700_000_007))

    private typealias Templates = [String: IdentityTemplate]

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
            : try await deployment.accounts.findOrMake(deployment.yahooIdentity())
        let token = try await deployment.minter.mint(
            try await deployment.cleared(account), for: DeploymentPlan.app, lifetime: .seconds(300), tenantID: nil,
            reauthentication: reauthentication)
        return try MintedToken(token.secret).payload["claims"]
    }

    @Test("AN-06: An anonymous account's claims say so, and it has no subject, no address and no proof")
    func anonymous() async throws {
        #expect(
            try await claims(Self.templates, isAnonymous: true)
                == .object([
                    "anonymous": .bool(true), "idp": .string("anonymous"), "application": .string("app"),
                    "id": .string("anonymous/"),
                ]))
        #expect(try await claims([:], isAnonymous: true) == .object(["anonymous": .bool(true)]))
    }

    @Test("A person's claims name the provider, and never anonymous")
    func person() async throws {
        let claims = try await claims(Self.templates, isAnonymous: false)
        #expect(claims?["idp"] == .string("yahoo.com"))
        #expect(claims?["idp_subject"] == .string(Yahoo.subject))
        #expect(claims?["anonymous"] == nil)
    }

    @Test("The time of a reauthentication is a claim in seconds, whatever the templates contain")
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
