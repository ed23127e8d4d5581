import Foundation
import Jansson
import Synchronization
import Testing

@testable import TokenExchangeClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests that are sent again", .serialized, .timeLimit(.minutes(5)))
struct ClientRetryTests {
    @Test("A request is sent again if the server says so, after the time that it names")
    func same() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            try await server.standIns.fault("yahoo.token", ["status": 503, "header": ["Retry-After": "7"]], times: 2)
            let result = try await server.client(pauses: pauses).signIn(
                with: .yahoo, credential: try await server.yahooCredential())
            #expect(result.uid == TestServer.alice)
            #expect(pauses.all == [7, 7])
        }
    }

    @Test("It is sent three times at most, and the error keeps the advice")
    func bounded() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            try await server.standIns.fault("yahoo.token", ["status": 503], times: 9)
            let credential = try await server.yahooCredential()
            let before = try await server.standIns.calls(of: "yahoo.token")
            let error = try await expectError("provider_error", "auth/internal-error") {
                try await server.client(pauses: pauses).signIn(with: .yahoo, credential: credential)
            }
            #expect(error.retry == .same && error.retryAfter != nil && error.status == 502)
            #expect(pauses.all.count == 2)
            #expect(try await server.standIns.calls(of: "yahoo.token") == before + 3)
        }
    }

    @Test("A long time in Retry-After is left to the application")
    func patience() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            try await server.standIns.fault("yahoo.token", ["status": 429, "header": ["Retry-After": "21"]])
            let credential = try await server.yahooCredential()
            let error = try await expectError("provider_error", "auth/internal-error") {
                try await server.client(pauses: pauses).signIn(with: .yahoo, credential: credential)
            }
            #expect(error.retry == .same && error.retryAfter == 21)
            #expect(pauses.all.isEmpty)
        }
    }

    @Test("A used credential is never sent again")
    func restart() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            try await server.standIns.fault("yahoo.token", ["status": 500])
            let credential = try await server.yahooCredential()
            let error = try await expectError("provider_error", "auth/internal-error") {
                try await server.client(pauses: pauses).signIn(with: .yahoo, credential: credential)
            }
            #expect(error.retry == .restart && pauses.all.isEmpty)
        }
    }

    @Test("A request whose response is lost is not sent again, because the server may have done it")
    func lost() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            let credential = try await server.yahooCredential()
            let client = try server.client(
                pauses: pauses,
                http: { [http = server.http] request in
                    _ = try await http(request)
                    throw URLError(.networkConnectionLost)
                })
            let error = try await expectError(.networkFailed, "auth/network-request-failed") {
                try await client.signIn(with: .yahoo, credential: credential)
            }
            #expect(error.retry == nil && pauses.all.isEmpty)
            #expect((error.underlyingError as? URLError)?.code == .networkConnectionLost)
            try await expectError(.replayed, "auth/invalid-credential") {
                try await server.client().signIn(with: .yahoo, credential: credential)
            }
        }
    }

    @Test("A server that cannot be reached is a network error")
    func unreachable() async throws {
        let client = TokenExchangeClient(server: try #require(URL(string: "http://127.0.0.1:1")), clientID: "my-app")
        try await expectError(.networkFailed, "auth/network-request-failed") { try await client.signInAnonymously() }
    }

    @Test("A cancelled task closes the connection of its request")
    func cancellation() async throws {
        let listener = try LoopbackListener()
        let client = TokenExchangeClient(
            server: try #require(URL(string: "http://127.0.0.1:\(listener.port)")), clientID: "my-app")
        let signIn = Task { try await client.signInAnonymously() }
        let connection = try await listener.accept()
        #expect(try await connection.read(upTo: 1) == [UInt8(ascii: "P")])
        signIn.cancel()
        try await expectError(.cancelled, "auth/user-cancelled") { try await signIn.value }
        while let rest = try? await connection.read(upTo: 4096), !rest.isEmpty {}
    }
}
