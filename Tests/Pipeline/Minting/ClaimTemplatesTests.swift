import Accounts
import Firebase
import JOSE
import Jansson
import Minting
import OAuth
import Support
import Testing

@Suite("Claim templates")
struct ClaimTemplateTests {
    private typealias Templates = [String: [ClaimTemplates.Segment]]

    private func claims(
        _ templates: Templates, client: ClientID = DeploymentPlan.app,
        identity: (inout IDTokenBuilder) -> Void = { _ in }
    ) async throws -> JSON? {
        let deployment = try Deployment { $0.claimTemplates = templates }
        let account = try await deployment.accounts.resolve(deployment.yahooIdentity(identity))
        let token = try await deployment.minter.mint(account, for: client, lifetime: .seconds(300), tenantID: nil)
        return try MintedToken(token.secret).payload["claims"]
    }

    @Test("A placeholder that stands alone takes over its value, with its type")
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

    @Test("It is left out where there is no value")
    func noValue() async throws {
        let templates: Templates = [
            "idp": [.placeholder(.provider)], "mail": [.placeholder(.email)],
            "mail_ok": [.placeholder(.emailVerified)],
        ]
        #expect(
            try await claims(templates) { $0.claims["email"] = nil } == .object(["idp": .string("yahoo.com")]))
    }

    @Test("What a reauthentication proves is no template's to say", arguments: ["reauth_time", "reauth_method"])
    func reauthentication(_ name: String) async throws {
        let templates: Templates = ["idp": [.placeholder(.provider)], name: [.placeholder(.subject)]]
        #expect(try await claims(templates) == .object(["idp": .string("yahoo.com")]))
    }

    @Test("An address that is not verified says so")
    func unverified() async throws {
        #expect(
            try await claims(["ok": [.placeholder(.emailVerified)]]) { $0.claims["email_verified"] = nil }
                == .object(["ok": .bool(false)]))
    }

    @Test("A template with anything beside the placeholder is text")
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

    @Test("What a person is called cannot break out of its claim")
    func injection() async throws {
        let address = #"a","admin":true,"b":"@example.org"#
        #expect(
            try await claims(["mail": [.placeholder(.email)]]) { $0.claims["email"] = .string(address) }
                == .object(["mail": .string(address)]))
    }

    @Test("MT-01: A reserved name is refused, whatever the template", arguments: DeveloperClaims.reservedNames.sorted())
    func reserved(_ name: String) async throws {
        await #expect(throws: MintingError.claims(.reserved(name))) {
            try await claims([name: [.text("x")], "zz": [.text("y")]])
        }
    }

    @Test("MT-06: Claims that pass 1000 octets through what the provider says are refused, and never cut")
    func large() async throws {
        let deployment = try Deployment { $0.claimTemplates = ["mail": [.placeholder(.email)]] }
        let account = try await deployment.accounts.resolve(
            deployment.yahooIdentity { $0.claims["email"] = .string(String(repeating: "a", count: 1990)) })
        await #expect(throws: MintingError.claims(.tooLarge(bytes: 2001))) {
            try await deployment.minter.mint(account, for: DeploymentPlan.app, lifetime: .seconds(300), tenantID: nil)
        }
    }
}

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
