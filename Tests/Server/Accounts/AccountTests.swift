import Jansson
import SQLiteStores
import Stores
import Testing
import Transport

@Suite("Accounts over HTTP", .serialized, .timeLimit(.minutes(5)))
struct AccountTests {
    @Test("An account is shown with its identities, and times in seconds")
    func show() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            street.clock.advance(by: .seconds(60))
            #expect(try await alice.link(try await street.xCodeBody()).status == 200)
            let answer = try await alice.ask("GET", "/v1/account")
            #expect(answer?.status == 200)
            if let answer { expectSafeHeader(answer) }
            #expect(answer?.json?.object?.keys.sorted() == ["anonymous", "created_at", "identities", "uid"])
            #expect(answer?.json?["uid"]?.string == Street.alice)
            #expect(answer?.json?["anonymous"] == false)
            #expect(answer?.json?["created_at"] == 1_700_000_000)
            let identities = answer?.json?["identities"]?.array ?? []
            #expect(identities.count == 2)
            #expect(identities[0]["provider_uid"] == "2244994945")
            #expect(identities[0]["linked_at"] == 1_700_000_060)
            #expect(identities[1]["provider_uid"] == "ALICEWJNWVNQD4GXZ5NGMZUST4")
            #expect(identities[1]["name"] == "Alice Example")
            #expect(identities[1]["email"] == "alice@example.com")
            #expect(identities[1]["linked_at"] == 1_700_000_000)
        }
    }

    @Test("Whoever Firebase knows and this server does not is adopted")
    func adopted() async throws {
        try await Street.open { street in
            let native = try await street.person("native", ["sign_in_provider": "password"])
            #expect(try await native.account()?["anonymous"] == false)
            #expect(try await native.providers() == [])
            // There is another way in, so that the last identity may go.
            #expect(try await native.link(try await street.codeBody()).status == 200)
            #expect(try await native.unlink("yahoo.com").status == 200)
            let guest = try await street.person("guest", ["sign_in_provider": "anonymous"])
            #expect(try await guest.account()?["anonymous"] == true)
            #expect(try await guest.link(try await street.codeBody()).status == 200)
            try expectRefusal(try await guest.unlink("yahoo.com"), "last_identity")
        }
    }

    @Test("A deleted account is gone, and its uid for good")
    func delete() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            let answer = try await alice.ask("DELETE", "/v1/account")
            #expect(answer?.status == 200)
            #expect(answer?.json == ["firebase_user": "kept"], "There is no Identity Toolkit to ask.")
            if let answer { expectSafeHeader(answer) }
            for path in ["/v1/account", "/v1/account?client_id=my-app"] {
                for method in ["GET", "DELETE"] {
                    try expectRefusal(try await alice.ask(method, path), "account_gone")
                }
            }
            let body = try await street.codeBody()
            try expectRefusal(try await alice.link(body), "account_gone")
            let again = try await street.exchange(body)
            #expect(again.json?["is_new_user"] == true, "Nothing was spent.")
            #expect(again.json?["uid"]?.string != alice.uid)
        }
    }

    @Test("The client of a call without body stands in the query, alone")
    func query() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            #expect(try await alice.ask("GET", "/v1/account?client_id=my-app")?.status == 200)
            #expect(try await alice.ask("GET", "/v1/account?")?.status == 200)
            for method in ["GET", "DELETE"] {
                for (query, reason) in [
                    ("client_id=nobody", "unknown_client"), ("client_id=", "unknown_client"),
                    ("client_id", "unknown_client"),
                    ("a=b", "unknown_field"), ("client_id=my-app&a=b", "unknown_field"),
                    ("client_id=my-app&client_id=my-app", "unknown_field"), ("client_id=my-app;a", "unknown_client"),
                ] {
                    let answer = try await alice.ask(method, "/v1/account?\(query)")
                    try expectRefusal(answer, reason)
                }
            }
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("Another method is answered 405 with those that are allowed")
    func methods() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            for method in ["POST", "PUT", "PATCH", "HEAD"] {
                let answer = try await alice.ask(method, "/v1/account")
                #expect(answer?.status == 405)
                #expect(answer?[field: "Allow"] == "GET, DELETE")
            }
        }
    }

    @Test("A store that does not answer lets nobody do anything, and spends nothing")
    func storeIsDown() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            let body = try await street.xCodeBody()
            try street.store.close()
            for (path, body) in [
                ("link", body), ("reauthenticate", body), ("unlink", ["provider": "yahoo.com"]), ("signout", [:]),
                ("merge", ["client_id": "my-app", "from_id_token": .string(alice.idToken)]),
            ] as [(String, JSON)] {
                try expectRefusal(
                    try await alice.post("/v1/account/\(path)", body), "store_unavailable", retry: "same")
            }
            for method in ["GET", "DELETE"] {
                try expectRefusal(try await alice.ask(method, "/v1/account"), "store_unavailable", retry: "same")
            }
            try expectRefusal(
                try await street.post("/v1/anonymous", ["client_id": "my-app"]), "store_unavailable", retry: "same")
            #expect(try await street.standIns.calls(of: "x.oauth2_token") == 0)
        }
    }
}
