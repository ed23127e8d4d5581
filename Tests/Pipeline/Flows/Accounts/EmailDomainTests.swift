import Accounts
import Fixtures
import Flows
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("The domains of addresses that a client admits")
struct EmailDomainTests {
    private static let company = ClientID("company-app")

    private func deployment() throws -> Deployment {
        try Deployment { plan in
            plan.clients.append(
                DeploymentPlan.client(Self.company, allowedEmailDomains: [EmailDomain("example.org")]))
        }
    }

    /// Signs in with an ID token that has this address.
    private func signIn(
        _ deployment: Deployment, email: String?, verified: JSON? = .bool(true), client: ClientID = company
    ) async throws -> SignInOutcome {
        deployment.clock.advance(by: .seconds(1))
        let credential = try deployment.yahooIDToken(client: client) {
            $0.claims["email"] = email.map(JSON.string)
            $0.claims["email_verified"] = verified
        }
        return try await deployment.exchange(credential, of: Yahoo.id, client: client)
    }

    @Test(
        "A verified address of a domain signs in, in any letter case",
        arguments: ["ann@example.org", "Ann@EXAMPLE.Org", "\"a@b.com\"@example.org"])
    func admitted(_ email: String) async throws {
        #expect(try await signIn(deployment(), email: email).account.uid == Person.yahooUID)
    }

    @Test(
        "Any other address is refused, and no account is made",
        arguments: [
            "ann@example.com", "ann@sub.example.org", "ann@badexample.org", "ann@example.org.evil.example",
            "ann@example.org.", "ann@example.org@evil.example", "ann@", "example.org",
            "ann@exam\u{440}le.org", "ann@example.or\u{FF47}", nil,
        ])
    func refused(_ email: String?) async throws {
        let deployment = try deployment()
        await expectRefusal(Reason.emailDomainNotAllowed) { try await signIn(deployment, email: email) }
        #expect(try await deployment.store.account(uid: Person.yahooUID) == nil)
        // Another client has no such rule.
        #expect(try await signIn(deployment, email: email, client: DeploymentPlan.app).account.isNew)
    }

    @Test("An address that is not verified is none", arguments: [JSON.bool(false), .string("true"), nil])
    func unverified(_ verified: JSON?) async throws {
        let deployment = try deployment()
        await expectRefusal(Reason.emailDomainNotAllowed) {
            try await signIn(deployment, email: "ann@example.org", verified: verified)
        }
    }

    @Test(
        "The log says whether the address is missing, is not verified or has another domain, and does not show it",
        arguments: [
            (nil, true, "the provider sends no email address of this person"),
            (
                "ann@example.org", false,
                "the email address that the provider sends does not count as verified (trust_email)"
            ),
            ("ann@example.com", true, "the verified email address of this person is of another domain"),
        ] as [(String?, Bool, String)])
    func finding(email: String?, isVerified: Bool, found: String) async throws {
        let refusal = Refusal.emailDomainNotAllowed.with(
            finding: "\(found); clients.company-app.allowed_email_domains has example.org")
        let deployment = try deployment()
        await expectRefusal(refusal) { try await signIn(deployment, email: email, verified: .bool(isVerified)) }
    }

    @Test("An account of another client does not help: the address of this sign-in counts")
    func known() async throws {
        let deployment = try deployment()
        _ = try await signIn(deployment, email: "ann@example.org")
        await expectRefusal(Reason.emailDomainNotAllowed) {
            try await signIn(deployment, email: "ann@example.com")
        }
    }

    @Test("A reauthentication and an anonymous sign-in follow the same rule, and a refused credential stays spent")
    func otherCalls() async throws {
        let deployment = try deployment()
        _ = try await signIn(deployment, email: "ann@example.com", client: DeploymentPlan.app)
        let user = try await deployment.user(Person.yahooUID)
        deployment.clock.advance(by: .seconds(1))
        let credential = try deployment.yahooIDToken(client: Self.company) { token in
            token.claims["email"] = .string("ann@example.com")
            token.claims["auth_time"] = .integer(deployment.clock.now.seconds)
        }
        let proof = AccountProof.credential(
            ExchangeRequest(client: Self.company, provider: Yahoo.id, credential: credential))
        await expectRefusal(Reason.emailDomainNotAllowed) {
            try await deployment.flows.accounts.reauthenticate(user, proof)
        }
        let replayed = Refusal.replayed(.idToken)
        await expectRefusal(replayed) {
            try await deployment.exchange(credential, of: Yahoo.id, client: Self.company)
        }
        let calls = deployment.store.calls.count
        await expectRefusal(Reason.emailDomainNotAllowed) {
            try await deployment.flows.direct.signInAnonymously(client: Self.company)
        }
        #expect(deployment.store.calls.count == calls)
    }

    @Test("A person who is not admitted is not asked about at a hook")
    func hooks() async throws {
        let deployment = try Deployment.hooked { plan in
            plan.clients.append(
                DeploymentPlan.client(Self.company, allowedEmailDomains: [EmailDomain("example.org")]))
        }
        await expectRefusal(Reason.emailDomainNotAllowed) {
            try await signIn(deployment, email: "ann@example.com")
        }
        #expect(try deployment.events().isEmpty)
    }
}
