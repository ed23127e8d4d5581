import Firebase
import JOSE
import Standards
import Support
import Testing
import Transport

@Suite("Secret Manager")
struct SecretManagerTests {
    private static let url = "https://secrets.example/v1/projects/my-project/secrets/seal-key/versions/latest:access"
    /// The check value of CRC-32C for the digits 1 to 9 is E3069283.
    private static let answer =
        #"{"name":"projects/123/secrets/seal-key/versions/7","payload":{"data":"MTIzNDU2Nzg5","dataCrc32c":"3808858755"}}"#
    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
    }

    private func access(_ answers: ScriptedAnswer...) async throws -> SecretManager.Version {
        for answer in answers.prefix(1) { google.peer.script(.get, Self.url, answer) }
        if answers.count == 2 { google.peer.script(.get, Self.url, answers[0], answers[1]) }
        let source = AccessTokenSource { refused throws(AccessTokenError) in
            Secret(refused == nil ? "ya29.a" : "ya29.b")
        }
        return try await SecretManager(
            origin: "https://secrets.example", tokens: source, transport: google.peer.transport,
            time: google.clock.source, retries: google.retries()
        ).access("latest", of: "seal-key", in: "my-project")
    }

    @Test("A version is read with an access token, and named by its number")
    func read() async throws {
        let version = try await access(.json(Self.answer))
        #expect(version.payload == Array("123456789".utf8))
        #expect(version.name == "projects/my-project/secrets/seal-key/versions/7")
        #expect(google.peer.requests.map { $0[field: "Authorization"] } == ["Bearer ya29.a"])
    }

    @Test("The checksum may be a number, as proto3's JSON mapping allows, and a payload may be empty")
    func spellings() async throws {
        let number = Self.answer.replacing(#""3808858755""#, with: "3808858755")
        #expect(try await access(.json(number)).payload == Array("123456789".utf8))
        let empty = Self.answer.replacing(
            #""data":"MTIzNDU2Nzg5","dataCrc32c":"3808858755""#, with: #""dataCrc32c":"0""#)
        #expect(try await access(.json(empty)).payload.isEmpty)
    }

    @Test("A refused token is replaced once")
    func anotherToken() async throws {
        let version = try await access(.status(401), .json(Self.answer))
        #expect(version.payload.count == 9)
        #expect(google.peer.requests.map { $0[field: "Authorization"] } == ["Bearer ya29.a", "Bearer ya29.b"])
    }

    @Test("A payload whose checksum is another one was damaged")
    func checksum() async throws {
        await #expect(throws: SecretManagerError.damaged) {
            try await access(.json(Self.answer.replacing("MTIz", with: "MTIy")))
        }
    }

    @Test(
        "An answer without payload, checksum or number, or with another spelling of base64, is refused",
        arguments: [
            "{}", "hunter2", answer.replacing("versions/7", with: "versions/latest"),
            answer.replacing(#","dataCrc32c":"3808858755""#, with: ""),
            answer.replacing("MTIzNDU2Nzg5", with: "MTIzNDU2Nzg5=="),
            answer.replacing("MTIzNDU2Nzg5", with: "MTIz NDU2Nzg5"),
        ])
    func malformed(body: String) async throws {
        await #expect(throws: SecretManagerError.malformed) { try await access(.json(body)) }
    }

    @Test(
        "Each refusal of Google is told apart",
        arguments: [
            (403, "PERMISSION_DENIED", "", SecretManagerError.forbidden(.role)),
            (403, "PERMISSION_DENIED", "SERVICE_DISABLED", .forbidden(.apiDisabled())),
            (403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", .forbidden(.insufficientScope)),
            (403, "PERMISSION_DENIED", "SECURITY_POLICY_VIOLATED", .forbidden(.organizationPolicy)),
            (404, "NOT_FOUND", "", .notFound), (400, "FAILED_PRECONDITION", "", .notEnabled),
            (400, "INVALID_ARGUMENT", "", .refused(status: 400)),
            (429, "RESOURCE_EXHAUSTED", "", .refused(status: 429)),
            (503, "UNAVAILABLE", "", .refused(status: 503)), (401, "UNAUTHENTICATED", "", .refused(status: 401)),
        ])
    func refusals(status: Int, code: String, reason: String, error: SecretManagerError) async throws {
        let body = #"{"error":{"code":\#(status),"status":"\#(code)","details":[{"reason":"\#(reason)"}]}}"#
        await #expect(throws: error) { try await access(.json(body, status: status)) }
    }

    @Test(
        "The project of a disabled API is that of the call, if Google's answer has the name of one",
        arguments: [
            ("projects/123456789", "123456789"), ("projects/my-project", "my-project"), ("123456789", nil),
            ("projects/", nil), ("projects/A b", nil),
        ] as [(String, String?)])
    func chargedProject(_ consumer: String, _ project: String?) async throws {
        let body =
            #"{"error":{"code":403,"status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED","#
            + #""metadata":{"consumer":"\#(consumer)"}}]}}"#
        let fault = CallFault.apiDisabled(project: project)
        await #expect(throws: SecretManagerError.forbidden(fault)) { try await access(.json(body, status: 403)) }
        let name = project.map { "the API is disabled in the project \($0), to which the call is charged" }
        #expect(fault.sentence("API") == name ?? "the API is disabled in the project")
    }

    @Test("A page is no refusal by Google, and a reason that is no missing role is told in Google's words")
    func otherRefusals() async throws {
        for status in [403, 404] {
            await #expect(throws: SecretManagerError.refused(status: status)) {
                try await access(.body("<html>Access denied</html>", type: "text/html", status: status))
            }
        }
        let suspended =
            #"{"error":{"code":403,"message":"Consumer has been suspended.","details":[{"reason":"CONSUMER_SUSPENDED"}]}}"#
        await #expect(throws: SecretManagerError.refused(status: 403, words: "Consumer has been suspended")) {
            try await access(.json(suspended, status: 403))
        }
    }

    @Test("An answer that is too large, and a host that does not answer, are told apart")
    func transport() async throws {
        await #expect(throws: SecretManagerError.tooLarge) {
            try await access(.failure(.tooLarge(host: "secrets.example")))
        }
        await #expect(throws: SecretManagerError.unreachable(.unreachable(host: "secrets.example"))) {
            try await access(.failure(.unreachable(host: "secrets.example")))
        }
        #expect(google.peer.requests.map(\.maximumBodyBytes) == [131_072, 131_072])
    }

    @Test("The metadata server names the project of the machine; another answer has none")
    func project() async throws {
        let url = ScriptedGoogle.metadata + "/computeMetadata/v1/project/project-id"
        for (answer, expected): (ScriptedAnswer, String?) in [
            (.body("my-project\n", type: "application/text"), "my-project"),
            (.body("<html>", type: "text/html"), nil), (.status(404), nil),
        ] {
            google.peer.script(.get, url, answer)
            let found = try await MachineProject.find(
                origin: ScriptedGoogle.metadata, transport: google.peer.transport, time: google.clock.source,
                retries: google.retries())
            #expect(found == expected)
        }
        #expect(google.peer.requests.first?[field: "Metadata-Flavor"] == "Google")
    }
}
