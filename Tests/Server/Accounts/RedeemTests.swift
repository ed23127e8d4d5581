import Jansson
import Support
import Testing
import Transport

/// `redeem: true`: Firebase's own tokens, for applications without its SDK.
@Suite("Redeemed custom tokens", .serialized, .timeLimit(.minutes(5)))
struct RedeemTests {
    private static let redeeming = Plan.google(.users) { $0.returnsFirebaseSession = true }

    /// Expects that the Firebase ID token is a bearer token of that uid.
    private static func expectBearer(_ token: String?, _ uid: String?, _ server: TestServer) async throws {
        let person = Person(server: server, uid: uid ?? "", idToken: token ?? "")
        let account = try await person.account()
        #expect(account?["uid"]?.string == uid && uid != nil, "\(account?.text ?? "")")
    }

    @Test("The tokens of Firebase replace the custom token")
    func exchange() async throws {
        try await TestServer.open(Self.redeeming) { server in
            for response in [
                try await server.exchange(try await server.codeBody()),
                try await server.post("/v1/anonymous", ["client_id": "my-app"]),
                try await server.person(TestServer.alice).reauthenticate(try await server.freshCodeBody()),
            ] {
                #expect(response.status == 200, "\(response.text)")
                #expect(response.json?["custom_token"] == nil)
                #expect(response.json?["firebase_refresh_token"]?.string?.isEmpty == false)
                #expect(response.json?["firebase_expires_in"] == 3600)
                #expect(response.json?["expires_in"] == 3600)
                try await Self.expectBearer(
                    response.json?["firebase_id_token"]?.string, response.json?["uid"]?.string, server)
            }
        }
    }

    @Test("A link and a merge return the tokens of Firebase as well")
    func accountCalls() async throws {
        try await TestServer.open(Self.redeeming) { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            for response in [
                try await alice.merge("from_id_token", bjorn.idToken),
                try await server.person(TestServer.alice).link(try await server.codeBody()),
            ] {
                #expect(response.status == 200, "\(response.text)")
                #expect(response.json?["custom_token"] == nil && response.json?["firebase_expires_in"] == 3600)
                try await Self.expectBearer(response.json?["firebase_id_token"]?.string, TestServer.alice, server)
            }
        }
    }

    @Test("At /token the access token is the Firebase ID token")
    func tokenEndpoint() async throws {
        try await TestServer.open(Self.redeeming) { server in
            var browser = TestBrowser(server)
            for (response, type) in [
                (try await server.redeem(try await browser.signIn()), "Bearer"),
                (try await server.form("/token", try await server.subjectToken()), "N_A"),
            ] {
                #expect(response.status == 200, "\(response.text)")
                #expect(response.json?["token_type"]?.string == type)
                #expect(response.json?["custom_token"] == nil && response.json?["firebase_id_token"] == nil)
                #expect(response.json?["firebase_refresh_token"]?.string?.isEmpty == false)
                try await Self.expectBearer(response.json?["access_token"]?.string, TestServer.alice, server)
            }
        }
    }

    @Test("Whom Firebase has disabled it gives nothing")
    func disabled() async throws {
        try await TestServer.open(Self.redeeming) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(alice.uid, ["disabled": true])
            try expectRefusal(try await server.exchange(try await server.codeBody()), "user_disabled")
        }
    }

    @Test("If the response of Firebase is lost, the credential is spent")
    func lost() async throws {
        try await TestServer.open(Self.redeeming) { server in
            try await server.standIns.fault("google.client_custom_token", ["status": 500, "body": "{}"], times: 100)
            let body = try await server.idTokenBody()
            let response = try await server.exchange(body)
            try expectRefusal(response, "directory_unavailable", retry: "restart")
            #expect(response.json?["custom_token"] == nil)
            try expectRefusal(try await server.exchange(body), "replayed")
        }
    }

    @Test("After a temporary refusal of Firebase the credential is given back", arguments: [429, 503])
    func refusedForNow(status: Int64) async throws {
        try await TestServer.open(Self.redeeming) { server in
            try await server.standIns.fault(
                "google.client_custom_token", ["status": .integer(status), "body": "{}"], times: 100)
            let body = try await server.idTokenBody()
            let response = try await server.exchange(body)
            try expectRefusal(response, "directory_unavailable", retry: "same")
            #expect(response.json?["custom_token"] == nil && response[field: "Retry-After"] != nil)
            try await server.standIns.order("DELETE", "/faults")
            let again = try await server.exchange(body)
            #expect(again.status == 200, "\(again.text)")
            try expectRefusal(try await server.exchange(body), "replayed")
        }
    }

    @Test("A client that does not redeem gets custom tokens beside one that does")
    func others() async throws {
        try await TestServer.open(Self.redeeming) { server in
            let body = try await server.xCodeBody().setting("client_id", to: "x-only")
            let response = try await server.exchange(body)
            #expect(response.json?["custom_token"]?.string?.isEmpty == false)
            #expect(response.json?["firebase_id_token"] == nil)
        }
    }
}
