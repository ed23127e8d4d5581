import Jansson
import Support
import Testing
import Transport

/// `firebase.signer: iam`: the server has no signing key.
@Suite("Custom tokens that Google signs", .serialized, .timeLimit(.minutes(5)))
struct RemoteSignerTests {
    private static let remote = Plan.google(.users) {
        $0.signsRemotely = true
        $0.returnsFirebaseSession = true
    }

    @Test("Firebase accepts a token that Google signed for the machine's own account")
    func success() async throws {
        try await TestServer.open(Self.remote) { server in
            let response = try await server.exchange(try await server.codeBody())
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["firebase_id_token"]?.string?.isEmpty == false)
            #expect(try await server.standIns.calls(of: "google.sign_blob") == 1)
            #expect(try await server.standIns.calls(of: "google.metadata_email") == 1)
        }
    }

    @Test("Such a token names its account, and no key")
    func token() async throws {
        try await TestServer.open(.with { $0.signsRemotely = true }) { server in
            let response = try await server.exchange(try await server.codeBody())
            let token = Payload.of(response.json?["custom_token"]?.string)
            #expect(token?["iss"] == "default@sandbox.iam.gserviceaccount.com")
            #expect(token?["uid"]?.string == TestServer.alice)
        }
    }

    @Test("If Google does not sign, the server issues nothing, and the ID token stays usable")
    func down() async throws {
        try await TestServer.open(.with { $0.signsRemotely = true }) { server in
            let body = try await server.idTokenBody()
            try await server.standIns.fault("google.sign_blob", ["status": 503, "body": "{}"], times: 100)
            try expectRefusal(try await server.exchange(body), "signer_unavailable", retry: "same")
            #expect(try await server.get("/readyz", admin: true).status == 503)
            try await server.standIns.order("DELETE", "/faults")
            #expect(try await server.exchange(body).status == 200)
            server.clock.advance(by: .seconds(1))
            #expect(try await server.get("/readyz", admin: true).status == 200)
        }
    }

    @Test("A role that is missing is in the log, and the response does not ask for a retry", arguments: [403, 404])
    func refused(status: Int) async throws {
        try await TestServer.open(.with { $0.signsRemotely = true }) { server in
            let body = try await server.idTokenBody()
            try await server.standIns.fault(
                "google.sign_blob", ["status": .integer(Int64(status)), "body": "{}"], times: 9)
            try expectRefusal(try await server.exchange(body), "signer_unavailable")
            #expect(
                server.log.lines.contains {
                    $0.contains(
                        "the tests may not act as the service account default@sandbox.iam.")
                        && $0.contains("grant the tests the role Service Account Token Creator")
                })
            try await server.standIns.order("DELETE", "/faults")
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test("Without the machine's identity nothing is signed")
    func noIdentity() async throws {
        try await TestServer.open(.with { $0.signsRemotely = true }) { server in
            for endpoint in ["google.metadata_email", "google.metadata_token"] {
                try await server.standIns.fault(endpoint, ["status": 404, "body": ""], times: 100)
            }
            try expectRefusal(
                try await server.exchange(try await server.idTokenBody()), "signer_unavailable", retry: "same")
        }
    }
}
