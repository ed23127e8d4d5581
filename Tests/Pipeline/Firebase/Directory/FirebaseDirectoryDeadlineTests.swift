import Firebase
import Fixtures
import JOSE
import Jansson
import SQLiteStores
import Standards
import Stores
import Synchronization
import Testing
import Transport

@Suite("The deadline of a call to Firebase's directory")
struct DirectoryDeadlineTests {
    /// A directory with responses that each take some seconds of a test clock.
    private final class SlowScene: Sendable {
        let toolkit = Toolkit()
        private let now = Mutex(Scene.now)
        let timeouts = Mutex<[Duration]>([])
        private let store: SQLiteStore

        init() throws {
            store = try SQLiteStore.inMemory()
        }

        func directory(answering seconds: Int64) -> FirebaseDirectory {
            let transport = HTTPTransport { request throws(TransportError) in
                self.now.withLock { $0 = $0 + .seconds(seconds) }
                self.timeouts.withLock { $0.append(request.timeout) }
                return try await self.toolkit.transport.send(request)
            }
            let endpoint = IdentityToolkitEndpoint(
                origin: "https://toolkit.example", projectID: "project", tenantID: nil, tokens: .fixed(Secret("owner")),
                transport: transport, time: TimeSource { self.now.withLock { $0 } },
                retries: IdentityToolkitRetryPolicy(RetryThrottle()) { _ in })
            return FirebaseDirectory(
                users: IdentityToolkit(endpoint), local: store, providers: ["yahoo.com"], syncsProfile: false)
        }

        func signIn(answering seconds: Int64) async throws(StoreError) -> SignInDecision {
            try await directory(answering: seconds).signIn(
                IncomingIdentity(identity: Scene.yahoo, details: IdentityDetails(), email: nil), candidates: ["first"],
                emails: .shared, at: Scene.now)
        }
    }

    private static let timedOut = StoreError(
        IdentityToolkitError.unreachable(.timedOut(host: "https://toolkit.example", requestSent: false)))

    @Test("All requests of a call have one deadline, after which no further one is sent")
    func over() async throws {
        let scene = try SlowScene()
        await #expect(throws: Self.timedOut) { try await scene.signIn(answering: 5) }
        #expect(scene.toolkit.calls.count == 3)
        // The third request has two seconds left, and would have eight without the deadline.
        #expect(scene.timeouts.withLock { $0 }.last == .seconds(2))
    }

    @Test("A call that is fast enough is not delayed")
    func baseline() async throws {
        let scene = try SlowScene()
        #expect(try await scene.signIn(answering: 2) == .signedIn(uid: "first", isNew: true))
        #expect(try await scene.signIn(answering: 11) == .signedIn(uid: "first", isNew: false))
    }

    @Test(
        "The other calls with several requests have a deadline as well",
        arguments: ["link", "unlink", "merge"])
    func others(name: String) async throws {
        let scene = try SlowScene()
        scene.toolkit.put("native")
        scene.toolkit.link(ExternalIdentity(provider: "yahoo.com", subject: "BOB"), to: "both")
        scene.toolkit.put("both", ["passwordHash": .string("hash")])
        scene.toolkit.put("single")
        scene.toolkit.link(ExternalIdentity(provider: "yahoo.com", subject: "CAROL"), to: "single")
        let arrival = IncomingIdentity(identity: Scene.yahoo, details: IdentityDetails(), email: nil)
        let error: StoreError =
            name == "merge" ? .outcomeUnknown(.directoryUnreachable) : Self.timedOut
        await #expect(throws: error) {
            let directory = scene.directory(answering: 13)
            switch name {
            case "link": _ = try await directory.link(arrival, to: "native", at: Scene.now)
            case "unlink": _ = try await directory.unlink(provider: "yahoo.com", from: "both", at: Scene.now)
            default: _ = try await directory.merge("single", into: "native", at: Scene.now)
            }
        }
        #expect(scene.toolkit.calls == ["accounts:lookup"])
    }
}
