import Jansson
import SQLiteStores
import Stores
import Testing
import Transport

@Suite("Disabled and deleted accounts", .serialized, .timeLimit(.minutes(5)))
struct DisabledAccountTests {
    @Test("HO-16: who was disabled between callback and redemption is not signed in")
    func disabledMeanwhile() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            var visitor = Visitor(street)
            let code = try await visitor.signIn()
            #expect(try await street.store.setDisabled(true, uid: alice.uid))
            let answer = try await street.redeem(code)
            try expectNoToken(answer, "access_denied", "user_disabled")
            #expect(answer.json?["code"] == "auth/user-disabled")
        }
    }

    @Test("HO-16: whose account was deleted between callback and redemption has a new one")
    func deletedMeanwhile() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            var visitor = Visitor(street)
            let code = try await visitor.signIn()
            #expect(try await alice.ask("DELETE", "/v1/account")?.status == 200)
            let answer = try await street.redeem(code)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json?["is_new_user"] == true)
            #expect(answer.json?["uid"]?.string != alice.uid)
        }
    }

    @Test("LK-19: whoever is disabled signs in by nothing, does nothing, and stays disabled")
    func disabled() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            #expect(try await street.store.setDisabled(true, uid: alice.uid))
            for _ in 0..<2 {
                try expectRefusal(try await street.exchange(try await street.codeBody()), "user_disabled")
                try expectRefusal(try await alice.link(try await street.xCodeBody()), "user_disabled")
                try expectRefusal(try await alice.reauthenticate(try await street.freshCodeBody()), "user_disabled")
                try expectRefusal(try await alice.unlink("yahoo.com"), "user_disabled")
                for method in ["GET", "DELETE"] {
                    try expectRefusal(try await alice.ask(method, "/v1/account"), "user_disabled")
                }
            }
            let bjorn = try await street.atX()
            try expectRefusal(try await bjorn.merge("from_id_token", alice.idToken), "user_disabled")
            let conflict = try await bjorn.link(try await street.codeBody())
            let pending = conflict.json?["pending_credential"]?.string ?? ""
            try expectRefusal(try await bjorn.merge("pending_credential", pending), "user_disabled")
            #expect(try await street.store.account(uid: alice.uid)?.isDisabled == true)
        }
    }
}
