import Jansson
import Minting
import Testing

@Suite("Questions to the process that holds the key")
struct SigningRequestTests {
    private static let token: [String: JSON] = [
        "version": .integer(1), "project_id": .string("p"), "type": .string("custom_token"), "uid": .string("u"),
        "claims": .object(["role": .string("editor")]), "tenant_id": .string("t"), "lifetime": .integer(60),
    ]

    private static let questions = [
        SigningRequest(
            projectID: "p",
            kind: .customToken(uid: "u", claims: ["role": .string("editor")], tenantID: "t", lifetime: 60)),
        SigningRequest(projectID: "p", kind: .customToken(uid: "u", claims: [:], tenantID: nil, lifetime: 60)),
        SigningRequest(projectID: "p", kind: .hookEvent(audience: "a", id: "1", event: .object([:]))),
        SigningRequest(projectID: "p", kind: .accessTokenAssertion),
        SigningRequest(projectID: "p", kind: .check),
    ]

    private func parse(_ members: [String: JSON]) throws(SignerRefusal) -> SigningRequest {
        try SigningRequest.parse(JSON.object(members).serialized())
    }

    @Test("A question is read as it was written", arguments: questions)
    func roundTrip(question: SigningRequest) throws {
        #expect(try SigningRequest.parse(question.json.serialized()) == question)
    }

    @Test("The members of a custom token are exactly these")
    func members() throws {
        #expect(Self.questions[0].json == .object(Self.token))
    }

    @Test(
        "A member that is missing or has another type is refused",
        arguments: ["version", "project_id", "type", "uid", "claims", "lifetime"])
    func missing(name: String) {
        #expect(throws: SignerRefusal.malformed) { try parse(Self.token.merging([name: .null]) { $1 }) }
        #expect(throws: SignerRefusal.malformed) { try parse(Self.token.filter { $0.key != name }) }
    }

    @Test("A tenant may be missing, and is a text")
    func tenant() throws {
        _ = try parse(Self.token.filter { $0.key != "tenant_id" })
        #expect(throws: SignerRefusal.malformed) { try parse(Self.token.merging(["tenant_id": .null]) { $1 }) }
    }

    @Test(
        "A member of no type, or of another type, is refused",
        arguments: ["iss", "sub", "aud", "iat", "exp", "audience", "jti", "event", "payload", "alg"])
    func further(name: String) {
        #expect(throws: SignerRefusal.malformed) { try parse(Self.token.merging([name: .string("x")]) { $1 }) }
    }

    @Test("An assertion takes no member of the caller", arguments: ["aud", "scope", "sub", "uid"])
    func assertion(name: String) {
        var members = Self.token.filter { ["version", "project_id"].contains($0.key) }
        members["type"] = .string("access_token_assertion")
        members[name] = .string("x")
        #expect(throws: SignerRefusal.malformed) { try parse(members) }
    }

    @Test("Another version and an unknown type are refused")
    func versions() {
        #expect(throws: SignerRefusal.unsupportedVersion) {
            try parse(Self.token.merging(["version": .integer(2)]) { $1 })
        }
        #expect(throws: SignerRefusal.malformed) { try parse(Self.token.merging(["type": .string("jwt")]) { $1 }) }
    }

    @Test(
        "Two members with one name, and text behind the object, are refused",
        arguments: [
            #"{"version": 1, "version": 1, "project_id": "p", "type": "check"}"#,
            #"{"version": 1, "project_id": "p", "type": "check"} {}"#, "[]", "",
        ])
    func notStrict(text: String) {
        #expect(throws: SignerRefusal.malformed) { try SigningRequest.parse(Array(text.utf8)) }
    }
}
