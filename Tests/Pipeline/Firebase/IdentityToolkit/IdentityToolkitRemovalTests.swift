import Firebase
import Fixtures
import Jansson
import Stores
import Testing
import Transport

@Suite("Removing Firebase users")
struct IdentityToolkitRemovalTests {
    private let toolkit = Toolkit()

    private var users: IdentityToolkit { Scene.users(toolkit) }

    private func remove() async throws -> FirebaseUserRemoval { try await users.remove("ann", at: Scene.now) }

    @Test("A user is looked up and deleted; a missing one is reported")
    func baseline() async throws {
        toolkit.put("ann")
        #expect(try await remove() == .deleted)
        #expect(toolkit.calls == ["accounts:lookup", "accounts:delete"])
        #expect(try await remove() == .none)
        #expect(toolkit.uids.isEmpty)
    }

    @Test("Without permission to read users nothing is changed")
    func lookupDenied() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:lookup", .answer(403, "{}"))
        #expect(try await remove() == .kept)
        #expect(toolkit.calls == ["accounts:lookup"])
        #expect(toolkit.uids == ["ann"])
    }

    @Test("Without permission to delete users the sessions are revoked if that is permitted")
    func deletionDenied() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(403, "{}"))
        #expect(try await remove() == .sessionsEnded)
        #expect(toolkit.member("validSince", of: "ann") == .string("1700000000"))
        toolkit.down("accounts:update", .answer(403, "{}"))
        #expect(try await remove() == .kept)
    }

    @Test("Without permission to delete users, a user who is missing by then is reported as missing")
    func goneMeanwhile() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(403, "{}"))
        toolkit.fail("accounts:update", .answer(400, #"{"error":{"message":"USER_NOT_FOUND"}}"#))
        #expect(try await remove() == .none)
    }

    @Test("After a deletion whose response was lost the user is looked up")
    func lost() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .lost)
        #expect(try await remove() == .deleted)
        #expect(toolkit.calls.last == "accounts:lookup")
    }

    @Test("A deletion that was not made is reported as unchanged")
    func failed() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(503, "{}"))
        await #expect(throws: IdentityToolkitError.unavailable(status: 503)) { try await remove() }
        #expect(toolkit.uids == ["ann"])
    }

    @Test("A deletion that was certainly not received is reported without a lookup")
    func notHeard() async throws {
        toolkit.put("ann")
        toolkit.down("accounts:delete", .answer(429, "{}"))
        await #expect(throws: IdentityToolkitError.busy()) { try await remove() }
        #expect(toolkit.calls.count { $0 == "accounts:lookup" } == 1)
    }

    @Test("A deletion whose lookup fails as well has an unknown outcome")
    func unknown() async throws {
        toolkit.put("ann")
        toolkit.before("accounts:delete") { $0.down("accounts:lookup", .answer(503, "{}")) }
        toolkit.down("accounts:delete", .answer(500, "{}"))
        await #expect(throws: IdentityToolkitError.outcomeUnknown) { try await remove() }
    }
}
