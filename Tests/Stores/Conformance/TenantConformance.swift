import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of rows of tenants", .serialized)
struct TenantConformance {
    private static let names = [nil, "tenant-a", "Tenant-A", "tenant-b"]

    @Test(
        "Tenants share a store, and none sees uids, identities or addresses of another",
        arguments: Database.allCases)
    func separate(database: Database) async throws {
        try await database.withStore { store async throws in
            let arrival = IncomingIdentity(
                identity: .baseline, details: IdentityDetails(email: "a@example.com"),
                email: EmailAddress("a@example.com"))
            for name in Self.names {
                let rows = TenantRows(store, of: TenantName(name))
                #expect(try await rows.account(of: .baseline) == nil)
                #expect(try await rows.account(uid: "one") == nil)
                #expect(
                    try await rows.signIn(arrival, candidates: ["one"], emails: .oneAccountEach, at: now)
                        == .signedIn(uid: "one", isNew: true))
                var expected = StoredAccount(uid: "one", createdAt: now)
                expected.email = EmailAddress("a@example.com")
                expected.identities = [
                    StoredIdentity(
                        identity: .baseline, details: arrival.details, linkedAt: now, lastUsedAt: now)
                ]
                #expect(try await rows.account(of: .baseline) == expected)
                #expect(try await rows.account(uid: "one") == expected)
            }
            let a = TenantRows(store, of: TenantName("tenant-a"))
            #expect(try await a.retire(uid: "one", at: now))
            for name in Self.names where name != "tenant-a" {
                #expect(try await TenantRows(store, of: TenantName(name)).account(uid: "one") != nil)
            }
            #expect(
                try await a.account(of: FirebaseCaller(uid: "one", isAnonymous: false, email: nil), at: now) == .retired
            )
        }
    }

    @Test("Links, conflicts, unlinking and merges stay within a tenant", arguments: Database.allCases)
    func changes(database: Database) async throws {
        try await database.withStore { store async throws in
            let other = ExternalIdentity(provider: "twitter.com", subject: "123")
            let address = EmailAddress("a@example.com")
            func incoming(_ identity: ExternalIdentity, _ details: IdentityDetails = IdentityDetails())
                -> IncomingIdentity
            {
                IncomingIdentity(
                    identity: identity, details: details, email: details.email.flatMap { EmailAddress($0) })
            }
            for name in Self.names {
                let rows = TenantRows(store, of: TenantName(name))
                _ = try await rows.signIn(
                    incoming(.baseline, IdentityDetails(email: "a@example.com")), candidates: ["one"],
                    emails: .oneAccountEach, at: now)
                let second = try await rows.signIn(
                    incoming(other, IdentityDetails(email: "a@example.com")), candidates: ["two"],
                    emails: .oneAccountEach, at: now)
                guard case .emailTaken(let holders) = second else {
                    Issue.record("\(second)")
                    return
                }
                #expect(holders.map(\.uid) == ["one"])
                _ = try await rows.signIn(incoming(other), candidates: ["two"], emails: .shared, at: now)
                guard case .identityTaken(let holder) = try await rows.link(incoming(other), to: "one", at: now) else {
                    Issue.record("the identity is not taken")
                    return
                }
                #expect(holder.uid == "two" && holder.identities.map(\.identity) == [other])
                guard case .merged(let merged) = try await rows.merge("two", into: "one", at: now) else {
                    Issue.record("not merged")
                    return
                }
                #expect(merged.uid == "one" && Set(merged.identities.map(\.identity)) == [other, .baseline])
                guard case .unlinked(let left) = try await rows.unlink(provider: "yahoo.com", from: "one", at: now)
                else {
                    Issue.record("not unlinked")
                    return
                }
                #expect(left.identities.map(\.identity) == [other])
                #expect(merged.email == address && left.email == nil, "only the unlinked identity brought the address")
            }
        }
    }

    @Test(
        "What a call expects is checked for the account and the identities of its tenant", arguments: Database.allCases)
    func expectations(database: Database) async throws {
        try await database.withStore { store async throws in
            for name in Self.names {
                let tenant = TenantName(name)
                let rows = TenantRows(store, of: tenant)
                for (uid, provider): (UID, ProviderID) in [
                    ("one", "yahoo.com"), ("one", "twitter.com"), ("two", "google.com"),
                ] {
                    let arrival = IncomingIdentity.baseline(Subject(uid), at: provider)
                    if provider == "twitter.com" {
                        _ = try await rows.link(arrival, to: uid, at: now)
                    } else {
                        _ = try await rows.signIn(arrival, candidates: [uid], emails: .shared, at: now)
                    }
                }
                let holder = FactorHolder(uid: "one", tenant: name ?? "")
                let unproven = AccountExpectation(uid: "one", holder: holder, provesFactor: false)
                let other = AccountExpectation.of("two")
                func holding(_ uid: UID, _ provider: ProviderID) -> AccountExpectation {
                    unproven.holding(ExternalIdentity(provider: provider, subject: Subject(uid)))
                }
                #expect(try await rows.refusal(of: holding("one", "yahoo.com")) == nil)
                #expect(try await rows.refusal(of: holding("two", "google.com")) == .identityLost)

                let factor = AccountExpectation(uid: tenant.stored("one"), holder: holder, provesFactor: true)
                #expect(try await store.keep(.waiting("f"), expecting: factor) == .done)
                #expect(
                    try await store.confirm("f", expecting: factor, step: 0, recoveryCodes: [], at: now) == .done)
                let before = try await rows.account(uid: "one")
                let refused = AccountRefusal.factorNotProven
                #expect(
                    try await rows.link(.baseline("new", at: "idp"), to: "one", expecting: unproven, at: now)
                        == .refused(refused))
                #expect(
                    try await rows.unlink(provider: "yahoo.com", from: "one", expecting: unproven, at: now)
                        == .refused(refused))
                #expect(
                    try await rows.merge(
                        "two", into: "one", expecting: MergeExpectation(going: other, staying: unproven), at: now)
                        == .refused(refused))
                #expect(
                    try await rows.merge(
                        "one", into: "two", expecting: MergeExpectation(going: unproven, staying: other), at: now)
                        == .hasFactor)
                #expect(try await rows.retire(uid: "one", expecting: unproven, at: now) == .refused(refused))
                #expect(try await rows.account(uid: "one") == before)
            }
        }
    }

    @Test("Anonymous accounts of a tenant are swept by the names in the store", arguments: Database.allCases)
    func anonymous(database: Database) async throws {
        try await database.withStore { store async throws in
            for name in Self.names {
                let rows = TenantRows(store, of: TenantName(name))
                #expect(try await rows.makeAnonymous(candidates: ["guest"], deleteAfter: now, at: now) == "guest")
                #expect(try await rows.setDisabled(true, uid: "guest"))
                #expect(try await rows.account(uid: "guest")?.isDisabled == true)
            }
            let stale = try await store.staleAnonymous(at: now, atMost: 10)
            #expect(stale.count == Self.names.count)
            #expect(stale.map { TenantName.split($0.text).name }.allSatisfy { $0 == "guest" })
            let all = try await store.accounts(after: nil, atMost: 10)
            #expect(try TenantRows(store, of: TenantName("tenant-b")).accounts(among: all).map(\.uid) == ["guest"])
        }
    }
}

@Suite("Names of tenants' rows")
struct TenantNameTests {
    @Test(
        "A name leads back to its tenant and its uid, whatever the uid looks like",
        arguments: ["a", "//", "//a/b", "///", "yahoo.com:1", "/", "é"], [nil, "a", "a-b", "*"])
    func split(uid: UID, tenant: String?) {
        let name = TenantName(tenant)
        let (found, rest) = TenantName.split(name.stored(uid).text)
        #expect(found == name && UID(rest) == uid)
        #expect(TenantName("other").name(name.stored(uid)) == nil)
    }

    @Test("Only the deployment's own tenant has plain names")
    func own() {
        #expect(TenantName(nil, besides: nil).stored("u") == "u")
        #expect(TenantName("a", besides: "a").stored("u") == "u")
        #expect(TenantName("b", besides: "a").stored("u") == "//b/u")
        #expect(TenantName("b", besides: nil).stored("u") == "//b/u")
        #expect(TenantName(nil, besides: "a").stored("u") == "//*/u")
        #expect(TenantName(nil).tenantID(besides: "a") == "a")
        #expect(TenantName("b").tenantID(besides: "a") == "b")
        #expect(TenantName(nil, besides: "a").tenantID(besides: "a") == nil)
    }
}
