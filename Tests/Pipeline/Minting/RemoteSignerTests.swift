import Firebase
import JOSE
import Jansson
import Minting
import OpenSSL
import Standards
import Support
import Synchronization
import Testing
import Transport

@Suite("Remote signer")
struct RemoteSignerTests {
    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
        google.peer.script(.get, ScriptedGoogle.metadataToken, ScriptedGoogle.tokenAnswer("t1"))
        google.peer.script(
            .get, ScriptedGoogle.metadataEmail, .body(ScriptedGoogle.account + "\n", type: "application/text"))
        google.peer.script(.post, ScriptedGoogle.signBlob, Self.signing())
    }

    /// Signs the payload of the request, as Google does.
    private static func signing() -> ScriptedAnswer {
        ScriptedAnswer { request throws(TransportError) in
            guard let payload = try? JSON.parse(request.body)["payload"]?.string.flatMap(Base64.decode),
                let signature = try? TestKeys.shared.account.signature(for: payload)
            else { throw .notHTTP(host: "iam.example") }
            return response(signature)
        }
    }

    private static func response(_ signature: [UInt8]) -> OutboundResponse {
        let answer = JSON.object(["keyId": .string("k"), "signedBlob": .string(Base64.encode(signature))])
        return OutboundResponse(status: 200, body: answer.serialized())
    }

    private func signer(
        email: ServiceAccountEmail? = nil, callLimit: Int = 8, retries: RetryPolicy? = nil
    ) -> CustomTokenSigner {
        let retries = retries ?? google.retries()
        let (transport, time) = (google.peer.transport, google.clock.source)
        return .iam(
            origin: ScriptedGoogle.iam,
            email: email
                ?? .discovered(
                    origin: ScriptedGoogle.metadata, transport: transport, time: time, retries: google.retries()),
            caller: "the tests",
            accessTokens: .metadata(
                origin: ScriptedGoogle.metadata, transport: transport, time: time, retries: google.retries()),
            transport: transport, time: time, callLimit: callLimit, retries: retries)
    }

    private func expect(
        _ failure: MintingError, calls: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: failure, sourceLocation: sourceLocation) { try await signer().signedToken() }
        #expect(google.peer.requests(to: ScriptedGoogle.signBlob).count == calls, sourceLocation: sourceLocation)
    }

    @Test("The token is like one that is signed locally, but without a key id")
    func baseline() async throws {
        let token = try MintedToken(Secret(try await signer().signedToken()))
        #expect(token.header == .object(["alg": .string("RS256"), "typ": .string("JWT")]))
        #expect(token.payload["iss"] == .string(ScriptedGoogle.account))
        #expect(token.payload["sub"] == .string(ScriptedGoogle.account))
        #expect(token.payload["uid"] == .string("u"))
        #expect(try token.isSigned(by: TestKeys.shared.account.publicKey))
        let call = try #require(google.peer.requests(to: ScriptedGoogle.signBlob).first)
        #expect(call[field: "Authorization"] == "Bearer t1")
        #expect(call[field: "Content-Type"] == "application/json")
        #expect(google.peer.requests(to: ScriptedGoogle.metadataEmail).first?[field: "Metadata-Flavor"] == "Google")
    }

    @Test("After the first one, a signature costs one call")
    func calls() async throws {
        let signer = signer()
        _ = try await signer.signedToken()
        #expect(
            google.peer.requests.map(\.url).sorted()
                == [ScriptedGoogle.metadataEmail, ScriptedGoogle.metadataToken, ScriptedGoogle.signBlob].sorted())
        _ = try await signer.signedToken()
        #expect(google.peer.requests.count == 4)
    }

    @Test("Without an access token or a service account there is no signature")
    func noIdentity() async throws {
        google.peer.script(.get, ScriptedGoogle.metadataToken, .status(404))
        await #expect(throws: MintingError.accessToken(.refused(status: 404))) { try await signer().signedToken() }
        google.peer.script(.get, ScriptedGoogle.metadataToken, ScriptedGoogle.tokenAnswer("t1"))
        google.peer.script(
            .get, ScriptedGoogle.metadataEmail, .body(ScriptedGoogle.account, type: "application/text", status: 404))
        await #expect(throws: MintingError.unknownServiceAccount) { try await signer().signedToken() }
        // Elsewhere, the address of an account would only lead to the next error.
        let beginning = "If this machine is not on Google Cloud, name a file as firebase.google_credentials. "
        #expect(MintingError.unknownServiceAccount.advice?.hasPrefix(beginning) == true)
    }

    @Test("A configured e-mail address is not fetched")
    func configuredEmail() async throws {
        let signer = signer(email: ServiceAccountEmail.configured(ScriptedGoogle.account))
        _ = try await signer.signedToken()
        #expect(google.peer.requests(to: ScriptedGoogle.metadataEmail).isEmpty)
    }

    @Test(
        "A text that cannot be part of a path is not accepted as an e-mail address of a service account",
        arguments: [
            "", "a", "@b", "a@", "a@b@c", "a/b@c", "a@b/..", "a@b:signJwt", "a@b?x", "a b@c", "a@b\n", "ä@b", "..@b",
            "project.svc.id.goog", "a@%2e",
        ])
    func noAddress(text: String) async {
        #expect(ServiceAccountEmail.configured(text) == nil)
        google.peer.script(.get, ScriptedGoogle.metadataEmail, .body(text + "\n\n", type: "application/text"))
        await expect(.unknownServiceAccount, calls: 0)
        #expect(google.peer.requests.allSatisfy { $0.method == .get })
    }

    @Test("A failed discovery is repeated, a successful one is not, and waiting callers share one")
    func discovery() async throws {
        google.peer.script(
            .get, ScriptedGoogle.metadataEmail, .status(503), .body(ScriptedGoogle.account, type: "application/text"))
        let signer = signer()
        await #expect(throws: MintingError.unknownServiceAccount) { try await signer.signedToken() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { _ = try await signer.signedToken() } }
            try await group.waitForAll()
        }
        #expect(google.peer.requests(to: ScriptedGoogle.metadataEmail).count == 2)
    }

    @Test("An access token that Google refuses is replaced once")
    func refusedToken() async throws {
        google.peer.script(
            .get, ScriptedGoogle.metadataToken, ScriptedGoogle.tokenAnswer("t1"), ScriptedGoogle.tokenAnswer("t2"))
        google.peer.script(.post, ScriptedGoogle.signBlob, Self.signing(), .status(401), Self.signing())
        let signer = signer()
        _ = try await signer.signedToken()
        google.clock.advance(by: .seconds(5))
        let token = try MintedToken(Secret(try await signer.signedToken()))
        #expect(try token.isSigned(by: TestKeys.shared.account.publicKey))
        #expect(
            google.peer.requests(to: ScriptedGoogle.signBlob).map { $0[field: "Authorization"] }
                == ["Bearer t1", "Bearer t1", "Bearer t2"])
    }

    @Test("A second refusal is final")
    func refusedTwice() async throws {
        google.peer.script(
            .get, ScriptedGoogle.metadataToken, ScriptedGoogle.tokenAnswer("t1"), ScriptedGoogle.tokenAnswer("t2"))
        google.peer.script(.post, ScriptedGoogle.signBlob, Self.signing(), .status(401))
        let signer = signer()
        _ = try await signer.signedToken()
        google.clock.advance(by: .seconds(5))
        await #expect(throws: Self.refusal(401)) { try await signer.signedToken() }
        #expect(google.peer.requests(to: ScriptedGoogle.signBlob).count == 3)
    }

    @Test("If Google does not sign there is no token", arguments: [302, 400, 403, 404, 500])
    func failure(status: Int) async {
        google.peer.script(.post, ScriptedGoogle.signBlob, .status(status))
        await expect(Self.refusal(status))
        #expect(Self.refusal(status).refusal.retry == ([403, 404].contains(status) ? .never : .ifUnspent))
        #expect(Self.refusal(status).refusal.isUnspent)
    }

    private static func refusal(_ status: Int, _ body: String = "{}") -> MintingError {
        .refused(
            ServiceAccountRefusal(
                OutboundResponse(status: status, body: Array(body.utf8)), account: ScriptedGoogle.account,
                caller: "the tests"))
    }

    @Test("A refusal names the role, who needs it, and the service account; or the API that is disabled")
    func permission() {
        let denied =
            #"{"error": {"code": 403, "status": "PERMISSION_DENIED", "details": [{"reason": "IAM_PERMISSION_DENIED"}]}}"#
        #expect(
            Self.refusal(403, denied).refusal.finding
                == "the tests may not act as the service account minter@project.iam.gserviceaccount.com, or that account does not "
                + "exist (status 403)")
        #expect(
            Self.refusal(403, denied).advice?.hasPrefix(
                "If minter@project.iam.gserviceaccount.com exists, grant the tests the role Service Account Token Creator "
            )
                == true)
        let disabled = #"{"error": {"code": 403, "details": [{"reason": "SERVICE_DISABLED"}]}}"#
        #expect(
            Self.refusal(403, disabled).refusal.finding
                == "the IAM Service Account Credentials API is disabled in the project of the tests (status 403)")
        let named = disabled.replacing("}]", with: #", "metadata": {"consumer": "projects/123456789"}}]"#)
        #expect(
            Self.refusal(403, named).refusal.finding
                == "the IAM Service Account Credentials API is disabled in the project 123456789, to which the call is charged "
                + "(status 403)")
        let prohibited = Self.refusal(403, disabled.replacing("SERVICE_DISABLED", with: "SECURITY_POLICY_VIOLATED"))
        #expect(
            prohibited.refusal.finding
                == "a policy of the organization prohibits the call (VPC Service Controls) (status 403)")
    }

    @Test("A refusal that is no missing role is told in Google's words, and a page is none of Google")
    func otherRefusals() {
        let account = ScriptedGoogle.account
        let disabled = Self.refusal(
            400, #"{"error": {"code": 400, "message": "Service account \#(account) is disabled."}}"#)
        #expect(
            disabled.refusal.finding
                == "Google refuses, with the status 400, a call for the service account \(account): Service account [left out] "
                + "is disabled")
        #expect(disabled.advice?.contains("check in the Google Cloud console that \(account) is enabled") == true)
        let page = Self.refusal(403, "<html>Access denied by policy</html>")
        #expect(
            page.refusal.finding
                == "a page answers in place of Google to a call for the service account \(account) (status 403)")
        #expect(
            page.advice
                == "If firebase.endpoints is written, compare iam_credentials. If a proxy or a firewall answers in place of "
                + "Google, let it pass the call.")
    }

    @Test("A refusal for too many calls, by Google or by the transport, is an overload")
    func overload() async {
        google.peer.script(.post, ScriptedGoogle.signBlob, .status(429))
        await expect(.overloaded)
        google.peer.script(.post, ScriptedGoogle.signBlob, .failure(.overloaded(host: "iam.example")))
        await expect(.overloaded, calls: 2)
        google.peer.script(.post, ScriptedGoogle.signBlob, .failure(.unreachable(host: "iam.example")))
        await expect(.unreachable(.unreachable(host: "iam.example")), calls: 3)
    }

    @Test("A failed call is repeated, because a signature changes nothing at Google")
    func repetition() async throws {
        google.peer.script(
            .post, ScriptedGoogle.signBlob, .failure(.interrupted(host: "iam.example")), .status(503), Self.signing())
        _ = try await signer(retries: google.retries(.seconds(1), .seconds(1))).signedToken()
        #expect(google.peer.requests(to: ScriptedGoogle.signBlob).count == 3)
    }

    @Test(
        "A response without a signature of the right length is refused",
        arguments: [
            "x", "{}", #"{"signedBlob":1}"#, #"{"signedBlob":"AA-_"}"#, #"{"signedBlob":""}"#,
            #"{"signedBlob":"AAAA"}"#, #"{"signedBlob":"\#(Base64.encode([UInt8](repeating: 1, count: 513)))"}"#,
        ])
    func malformed(body: String) async {
        google.peer.script(.post, ScriptedGoogle.signBlob, .json(body))
        await expect(.malformedResponse)
    }

    @Test("The number of parallel calls is limited, and a finished call makes way for another")
    func callLimit() async throws {
        let gate = Mutex(false)
        let signing = Self.signing()
        google.peer.script(
            .post, ScriptedGoogle.signBlob,
            ScriptedAnswer { _ throws(TransportError) in
                while !gate.withLock({ $0 }) { await Task.yield() }
                throw .notHTTP(host: "iam.example")
            }, signing)
        let signer = signer(callLimit: 1)
        let first = Task { try? await signer.signedToken() }
        while google.peer.requests(to: ScriptedGoogle.signBlob).isEmpty { await Task.yield() }
        await #expect(throws: MintingError.overloaded) { try await signer.signedToken() }
        gate.withLock { $0 = true }
        #expect(await first.value == nil)
        _ = try await signer.signedToken()
    }
}
