import JOSE
import Jansson
import Providers
import Standards
import Support
import Testing
import Transport
import Verification

/// An issuer that stands for many tenants, as that of Microsoft's address `common`, found by discovery.
@Suite("Tenants")
struct TenantTests {
    private static let pattern = "https://id.example/{tenantid}"

    private func deployment(accepting tenants: [String]) throws -> Deployment {
        let deployment = try Deployment { plan in
            plan.generic.tenantIDs = tenants
            plan.generic.endpoints.issuers = ["https://id.example/common"]
        }
        deployment.peer.script(
            .get, "https://id.example/common/.well-known/openid-configuration",
            .json(Generic.metadataText(changing: ["issuer": "\"\(Self.pattern)\""])))
        return deployment
    }

    private func verify(
        _ deployment: Deployment, issuer: String = "https://id.example/t1", tenant: String? = #""t1""#,
        accessToken: String? = nil
    ) async throws -> VerifiedIdentity {
        var token = IDTokenBuilder.generic(nonce: "n", at: deployment.clock.now)
            .setting("iss", to: .string(issuer)).setting("tid", toText: tenant)
            .setting("email", to: .string("ann@example.org")).setting("email_verified", to: .bool(true))
        if let accessToken { token = token.vouching(for: accessToken) }
        let identity = try await deployment.verifier.verify(
            token.token(), accessToken: accessToken.map(AccessToken.init),
            with: deployment.openIDConnect(of: deployment.generic), of: deployment.generic,
            nonce: ExpectedNonce(values: ["n"]))
        return try await deployment.verifier.completed(identity)
    }

    @Test(
        "A person of an accepted tenant is known by tenant and subject, and no address is verified",
        arguments: ["any", "t1"])
    func accepted(_ tenant: String) async throws {
        let identity = try await verify(try deployment(accepting: [tenant]))
        #expect(identity.subject.text == "t1:" + Generic.subject)
        #expect(identity.profile.email == "ann@example.org" && identity.profile.isEmailVerified == false)
    }

    @Test("The issuer of one tenant is accepted beside tenants, and only with that tenant")
    func oneTenant() async throws {
        func deployment(accepting tenant: String) throws -> Deployment {
            let deployment = try Deployment { plan in
                plan.generic.tenantIDs = [tenant]
                plan.generic.endpoints.issuers = ["https://id.example/t1"]
            }
            deployment.peer.script(
                .get, "https://id.example/t1/.well-known/openid-configuration",
                .json(Generic.metadataText(changing: ["issuer": #""https://id.example/t1""#])))
            return deployment
        }
        #expect(try await verify(deployment(accepting: "t1")).subject.text == "t1:" + Generic.subject)
        for (accepted, issuer, tenant) in [
            ("t2", "https://id.example/t1", #""t1""#), ("t1", "https://id.example/t2", #""t1""#),
            ("t1", "https://id.example/t2", #""t2""#),
        ] {
            await #expect(throws: (any Error).self) {
                try await verify(deployment(accepting: accepted), issuer: issuer, tenant: tenant)
            }
        }
    }

    @Test(
        "Another tenant, another issuer, and a tenant that is no name are refused",
        arguments: [
            ("https://id.example/t2", #""t2""#), ("https://id.example/t2", #""t1""#),
            ("https://id.example/t1", #""t2""#),
            ("https://id.example/t1", nil), ("https://id.example/t1", "1"), (pattern, #""{tenantid}""#),
            ("https://id.example/common", #""t1""#), ("https://id.example/a/../t1", #""a/../t1""#),
        ])
    func refused(_ issuer: String, _ tenant: String?) async throws {
        let deployment = try deployment(accepting: ["t1"])
        do {
            _ = try await verify(deployment, issuer: issuer, tenant: tenant)
            Issue.record("The token was accepted.")
        } catch {
            #expect(Refusal(error).reason == .issuerMismatch)
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("If no endpoint is discovered, the issuer beside the pattern issues no tokens, whose tenant it could choose")
    func configuredEndpoints() async throws {
        let deployment = try Deployment { plan in
            plan.generic.tenantIDs = ["t1"]
            plan.generic.issuer = "https://id.example/common"
            plan.generic.endpoints.issuers = [Self.pattern]
            plan.generic.endpoints.authorization = Generic.authorization
            plan.generic.endpoints.token = Generic.token
            plan.generic.endpoints.jwks = Generic.keys
        }
        let refusal = await refusal { try await verify(deployment, issuer: "https://id.example/common") }
        #expect(refusal?.reason == .issuerMismatch)
        #expect(deployment.store.calls.isEmpty)
        #expect(try await verify(deployment).subject.text == "t1:" + Generic.subject)
    }

    /// The provider's key set, each key of which has a member `issuer`.
    private func keys(of issuer: JSON) throws -> ScriptedAnswer {
        let set = try JSON.parse(Array(try TestKeys.shared.keySet().utf8))
        let keys = (set["keys"]?.array ?? []).map { JSON.object(($0.object ?? [:]).merging(["issuer": issuer]) { $1 }) }
        return .json(String(decoding: JSON.object(["keys": .array(keys)]).serialized(), as: UTF8.self))
    }

    @Test(
        "A key that names an issuer verifies only tokens of that issuer",
        arguments: [
            (.string(pattern), nil), (.string("https://id.example/t1"), nil), (.null, nil),
            (.string("https://id.example/t2"), .unknownKey), (.string("https://id.example/T1"), .unknownKey),
            (.string(pattern + "/v2.0"), .unknownKey), (.string(""), .unknownKey), (.integer(1), .unknownKey),
        ] as [(JSON, Reason?)])
    func issuerOfKey(_ issuer: JSON, _ reason: Reason?) async throws {
        let deployment = try deployment(accepting: ["any"])
        deployment.peer.script(.get, Generic.keys, try keys(of: issuer))
        let refusal = await refusal { try await verify(deployment) }
        #expect(refusal?.reason == reason)
        #expect(deployment.store.spentKinds.isEmpty == (reason != nil))
        let advice = (refusal?.cause as? any AdvisingCause)?.advice
        #expect(reason == nil || advice?.contains("for another issuer than that of the token") == true)
    }

    @Test("Without tenants, the set has one issuer, and the member is not read")
    func issuerOfKeyWithoutTenants() async throws {
        let deployment = try Deployment()
        deployment.peer.script(.get, Generic.keys, try keys(of: .string("https://elsewhere.example")))
        #expect(try await verify(deployment, issuer: Generic.issuer, tenant: nil).subject.text == Generic.subject)
    }

    @Test(
        "The operator reads which issuer and tenant a refused token names, and that both have to name the same tenant",
        arguments: [
            ("t2", #""t2""#, "t2"), ("t1", #""t2""#, "t2"), ("t2", #""t1""#, "t1"), ("t1", nil, "none"),
        ] as [(String, String?, String)])
    func advice(_ issuer: String, _ tenant: String?, _ named: String) async throws {
        let found = await refusal {
            try await verify(try deployment(accepting: ["t1"]), issuer: "https://id.example/\(issuer)", tenant: tenant)
        }
        let isAccepted = named == "t1"
        #expect(
            found?.finding == "iss of the token is not https://id.example/"
                + (isAccepted ? "t1" : "{tenantid} with the tid of an accepted tenant"))
        let advice = (found?.cause as? any AdvisingCause)?.advice
        #expect(
            advice?.hasPrefix(
                "The token names the issuer https://id.example/\(issuer) and the tenant (tid) \(named). If the section has "
                    + "tenants, and the issuer in the provider's metadata has no {tenantid}, leave tenants out. If it has, the two "
                    + "have to name the same tenant: if they do, add it to tenants only if") == true)
    }

    @Test("A claim that identifies the person and is missing is named, and not sub")
    func withoutIdentity() async throws {
        let deployment = try Deployment { $0.generic.subjectClaims = ["oid"] }
        await expectRefusal(JOSEError.missingClaim("oid").refusal) {
            try await verify(deployment, issuer: Generic.issuer, tenant: nil)
        }
    }

    @Test("Userinfo names the person without the tenant")
    func userInfo() async throws {
        let deployment = try deployment(accepting: ["t1"])
        deployment.scriptUserInfo(Generic.userInfo, subject: Generic.subject)
        let identity = try await verify(deployment, accessToken: Generic.accessToken)
        #expect(identity.profile.picture == "https://img.example/p.png")
        let other = try self.deployment(accepting: ["t1"])
        other.scriptUserInfo(Generic.userInfo, subject: "t1:" + Generic.subject)
        await expectRefusal(ProviderFailure.otherPersonInUserInfo.refusal) {
            try await verify(other, accessToken: Generic.accessToken)
        }
    }
}
