import Firebase
import Jansson
import Stores
import Testing
import Transport

@Suite("Removing Firebase users")
struct RemovalTests {
    private let toolkit = Toolkit()

    private var users: IdentityToolkit { Scene.users(toolkit) }

    private func remove() async throws -> FirebaseUserRemoval { try await users.remove("ann", at: Scene.now) }

    @Test("A user is looked for, and deleted; one who is not there is none")
    func baseline() async throws {
        toolkit.put("ann")
        #expect(try await remove() == .deleted)
        #expect(toolkit.calls == ["accounts:lookup", "accounts:delete"])
        #expect(try await remove() == .none)
        #expect(toolkit.uids.isEmpty)
    }

    @Test("A service account that may not look changes nothing")
    func lookupDenied() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:lookup", .answer(403, "{}"))
        #expect(try await remove() == .kept)
        #expect(toolkit.calls == ["accounts:lookup"])
        #expect(toolkit.uids == ["ann"])
    }

    @Test("One that may not delete ends the sessions, if it may do that")
    func deletionDenied() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(403, "{}"))
        #expect(try await remove() == .sessionsEnded)
        #expect(toolkit.member("validSince", of: "ann") == .string("1700000000"))
        toolkit.down("accounts:update", .answer(403, "{}"))
        #expect(try await remove() == .kept)
    }

    @Test("One that may not delete, and finds no user whose sessions it could end, has removed none")
    func goneMeanwhile() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(403, "{}"))
        toolkit.fail("accounts:update", .answer(400, #"{"error":{"message":"USER_NOT_FOUND"}}"#))
        #expect(try await remove() == .none)
    }

    @Test("A deletion whose answer was lost is found out about")
    func lost() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .lost)
        #expect(try await remove() == .deleted)
        #expect(toolkit.calls.last == "accounts:lookup")
    }

    @Test("A deletion that did not come about has changed nothing")
    func failed() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(503, "{}"))
        await #expect(throws: IdentityToolkitError.unavailable(status: 503)) { try await remove() }
        #expect(toolkit.uids == ["ann"])
    }

    @Test("A deletion that was certainly not heard is told as it failed, without another look")
    func notHeard() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(429, "{}"))
        await #expect(throws: IdentityToolkitError.busy) { try await remove() }
        #expect(toolkit.calls.count { $0 == "accounts:lookup" } == 1)
    }

    @Test("A deletion of which nothing can be found out may have happened")
    func unknown() async throws {
        toolkit.put("ann")
        toolkit.before("accounts:delete") { $0.down("accounts:lookup", .answer(503, "{}")) }
        toolkit.down("accounts:delete", .answer(500, "{}"))
        await #expect(throws: IdentityToolkitError.outcomeUnknown) { try await remove() }
    }
}
