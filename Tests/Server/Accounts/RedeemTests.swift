import Jansson
import Testing
import Transport

/// `redeem: true`: Firebase's own tokens, for applications without its SDK.
@Suite("Redeemed custom tokens", .serialized, .timeLimit(.minutes(5)))
struct RedeemTests {
    private static let redeeming = Plan.google(.users) { $0.redeems = true }

    /// What Firebase gives is a bearer of that uid.
    private static func expectBearer(_ token: String?, _ uid: String?, _ street: Street) async throws {
        let person = Person(street: street, uid: uid ?? "", idToken: token ?? "")
        let account = try await person.account()
        #expect(account?["uid"]?.string == uid && uid != nil, "\(account?.text ?? "")")
    }

    @Test("Firebase's tokens stand in the custom token's place")
    func exchange() async throws {
        try await Street.open(Self.redeeming) { street in
            for answer in [
                try await street.exchange(try await street.codeBody()),
                try await street.post("/v1/anonymous", ["client_id": "my-app"]),
                try await street.person(Street.alice).reauthenticate(try await street.freshCodeBody()),
            ] {
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.json?["custom_token"] == nil)
                #expect(answer.json?["firebase_refresh_token"]?.string?.isEmpty == false)
                #expect(answer.json?["firebase_expires_in"] == 3600)
                #expect(answer.json?["expires_in"] == 3600)
                try await Self.expectBearer(
                    answer.json?["firebase_id_token"]?.string, answer.json?["uid"]?.string, street)
            }
        }
    }

    @Test("At /token the access token is the Firebase ID token")
    func tokenEndpoint() async throws {
        try await Street.open(Self.redeeming) { street in
            var visitor = Visitor(street)
            for (answer, type) in [
                (try await street.redeem(try await visitor.signIn()), "Bearer"),
                (try await street.form("/token", try await street.subjectToken()), "N_A"),
            ] {
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer.json?["token_type"]?.string == type)
                #expect(answer.json?["custom_token"] == nil && answer.json?["firebase_id_token"] == nil)
                #expect(answer.json?["firebase_refresh_token"]?.string?.isEmpty == false)
                try await Self.expectBearer(answer.json?["access_token"]?.string, Street.alice, street)
            }
        }
    }

    @Test("Whom Firebase has disabled it gives nothing")
    func disabled() async throws {
        try await Street.open(Self.redeeming) { street in
            let alice = try await street.atYahoo()
            try await street.standIns.firebaseUser(alice.uid, ["disabled": true])
            try expectRefusal(try await street.exchange(try await street.codeBody()), "user_disabled")
        }
    }

    @Test("An answer of Firebase's that is lost has spent the credential")
    func lost() async throws {
        try await Street.open(Self.redeeming) { street in
            try await street.standIns.fault("google.client_custom_token", ["status": 500, "body": "{}"], times: 100)
            let body = try await street.idTokenBody()
            let answer = try await street.exchange(body)
            try expectRefusal(answer, "directory_unavailable", retry: "restart")
            #expect(answer.json?["custom_token"] == nil)
            try expectRefusal(try await street.exchange(body), "replayed")
        }
    }

    @Test("What Firebase refuses for the moment gives the credential back", arguments: [429, 503])
    func refusedForNow(status: Int64) async throws {
        try await Street.open(Self.redeeming) { street in
            try await street.standIns.fault(
                "google.client_custom_token", ["status": .integer(status), "body": "{}"], times: 100)
            let body = try await street.idTokenBody()
            let answer = try await street.exchange(body)
            try expectRefusal(answer, "directory_unavailable", retry: "same")
            #expect(answer.json?["custom_token"] == nil && answer[field: "Retry-After"] != nil)
            try await street.standIns.order("DELETE", "/faults")
            let again = try await street.exchange(body)
            #expect(again.status == 200, "\(again.text)")
            try expectRefusal(try await street.exchange(body), "replayed")
        }
    }

    @Test("A client that does not redeem gets custom tokens beside one that does")
    func others() async throws {
        try await Street.open(Self.redeeming) { street in
            let body = try await street.xCodeBody().setting("client_id", to: "x-only")
            let answer = try await street.exchange(body)
            #expect(answer.json?["custom_token"]?.string?.isEmpty == false)
            #expect(answer.json?["firebase_id_token"] == nil)
        }
    }
}
