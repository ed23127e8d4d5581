import Jansson
import Minting
import SigningProcess
import Testing

@Suite("Rules of the signing process")
struct SignerRulesTests {
    private let rules = SignerRules(
        projectID: "my-project", maximumLifetime: .seconds(300), claims: ["role"], tenants: [nil, "tenant-1"],
        uidPrefixes: ["yahoo.com:", "K"], hooks: ["https://hooks.example/a"], allowsAccessTokens: true)

    private func check(_ kind: SigningRequest.Kind, project: String = "my-project") throws(SignerRefusal) {
        try rules.check(SigningRequest(projectID: project, kind: kind))
    }

    private static func token(
        uid: String = "yahoo.com:1", claims: [String: JSON] = ["role": .string("editor")], tenantID: String? = nil,
        lifetime: Int64 = 300
    ) -> SigningRequest.Kind {
        .customToken(uid: uid, claims: claims, tenantID: tenantID, lifetime: lifetime)
    }

    @Test(
        "Questions by the rules are allowed",
        arguments: [
            token(), token(claims: [:]), token(tenantID: "tenant-1"), token(lifetime: 1), token(uid: "Kelvin"),
            token(claims: ["reauth_time": .integer(1), "anonymous": .bool(true)]),
            token(uid: "yahoo.com:" + String(repeating: "u", count: 118)),
            .hookEvent(audience: "https://hooks.example/a", id: "1", event: .object([:])), .accessTokenAssertion,
            .check,
        ])
    func baseline(kind: SigningRequest.Kind) throws {
        try check(kind)
    }

    @Test(
        "A question that breaks one rule is refused by its name",
        arguments: [
            (token(lifetime: 301), .lifetimeNotAllowed), (token(lifetime: 0), .lifetimeNotAllowed),
            (token(lifetime: .min), .lifetimeNotAllowed), (token(tenantID: "tenant-2"), .tenantNotAllowed),
            (token(uid: ""), .uidInvalid), (token(uid: "yahoo.com:" + String(repeating: "u", count: 119)), .uidInvalid),
            (token(uid: "admin"), .uidNotAllowed), (token(uid: "\u{212A}elvin"), .uidNotAllowed),
            (token(claims: ["sub": .string("x")]), .reservedClaim),
            (token(claims: ["admin": .bool(true)]), .claimNotAllowed),
            (token(claims: ["role": .string(String(repeating: "x", count: 1000))]), .claimsTooLarge),
            (
                .hookEvent(audience: "https://hooks.example/b", id: "1", event: .object([:])), .audienceNotAllowed
            ),
            (.hookEvent(audience: "https://hooks.example/a", id: "", event: .object([:])), .idInvalid),
        ] as [(SigningRequest.Kind, SignerRefusal)])
    func refused(kind: SigningRequest.Kind, refusal: SignerRefusal) {
        #expect(throws: refusal) { try check(kind) }
    }

    @Test("Every type of question is refused for another project")
    func project() {
        let kinds = [
            Self.token(), .hookEvent(audience: "https://hooks.example/a", id: "1", event: .object([:])),
            .accessTokenAssertion, .check,
        ]
        for kind in kinds {
            #expect(throws: SignerRefusal.projectMismatch) { try check(kind, project: "other-project") }
        }
    }

    @Test("Without uid prefixes every uid is allowed; without access tokens no assertion is")
    func others() throws {
        let rules = SignerRules(
            projectID: "p", maximumLifetime: .seconds(300), claims: [], tenants: ["t"], uidPrefixes: nil, hooks: [],
            allowsAccessTokens: false)
        func check(_ kind: SigningRequest.Kind) throws(SignerRefusal) {
            try rules.check(SigningRequest(projectID: "p", kind: kind))
        }
        try check(Self.token(uid: "admin", claims: [:], tenantID: "t"))
        #expect(throws: SignerRefusal.tenantNotAllowed) { try check(Self.token(claims: [:])) }
        #expect(throws: SignerRefusal.accessTokensNotAllowed) { try check(.accessTokenAssertion) }
    }
}
