import Curl
import Foundation
import Synchronization
import Testing
import Transport

@testable import TokenExchangeClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Sign-in by a redirect to 127.0.0.1", .serialized, .timeLimit(.minutes(5)))
struct ClientLoopbackTests {
    /// The program's part of a page request, as a browser sends it.
    private static func get(_ url: String, at server: TestServer, host: String? = nil) async throws -> OutboundResponse
    {
        try await server.curl.transport.send(
            OutboundRequest(
                .get, url, header: host.map { [HeaderField("Host", $0)] } ?? [], timeout: .seconds(60)))
    }

    @Test("The browser is redirected to a free port, and the user sees a page")
    func success() async throws {
        try await TestServer.open { server in
            let human = Human(server: server)
            let browser = Browser.loopback(page: "Done <here> & now.") { url in
                let redirectURI = RedirectParameters(url)["redirect_uri"] ?? ""
                #expect(redirectURI.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/callback/) != nil)
                let redirect = try await human.visit(url).absoluteString
                #expect(redirect.hasPrefix(redirectURI + "?"))
                let page = try await Self.get(redirect, at: server)
                #expect(page.status == 200)
                #expect(page.text.contains("<p>Done &lt;here> &amp; now.</p>"), "\(page.text)")
                #expect(page[field: "Content-Security-Policy"] == "default-src 'none'")
                #expect(page[field: "Cache-Control"] == "no-store")
                #expect(page[field: "Referrer-Policy"] == "no-referrer")
            }
            let client = TokenExchangeClient(
                server: try #require(URL(string: server.issuer)), clientID: "my-app", browser: browser, idToken: nil,
                appCheckToken: nil, http: server.http, timing: .endless)
            #expect(try await client.signIn(with: .yahoo).uid == TestServer.alice)
        }
    }

    @Test("Other requests are answered with 404, and do not end the flow")
    func otherRequests() async throws {
        try await TestServer.open { server in
            let human = Human(server: server)
            // A request that is taken for the redirect ends the flow before the expectations.
            let refusals = Mutex(0)
            let browser = Browser.loopback { url in
                let redirectURI = RedirectParameters(url)["redirect_uri"] ?? ""
                let redirect = try await human.visit(url).absoluteString
                let origin = redirectURI.replacing("/callback", with: "")
                let port = Int(origin.split(separator: ":").last ?? "") ?? 0
                let state = try #require(RedirectParameters(url)["state"])
                for other in [
                    origin + "/favicon.ico", origin + "/callback", redirect.replacing(state, with: "s"),
                    redirectURI + "?code=c", redirect + "&state=" + state, redirect.replacing("/callback", with: "/"),
                ] {
                    #expect(try await Self.get(other, at: server).status == 404, "\(other)")
                    refusals.withLock { $0 += 1 }
                }
                let target = redirect.dropFirst(origin.count)
                for head in [
                    // A web page whose name was made to mean 127.0.0.1 would be able to read the response.
                    "GET \(target) HTTP/1.1\r\nHost: evil.example:\(port)",
                    "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nHost: 127.0.0.1:\(port)",
                    "GET \(target) HTTP/1.1", "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)", "GARBAGE",
                ] {
                    let response = try await Wire.connect(to: port) { wire in
                        try await wire.send(head + "\r\n\r\n")
                        return try await wire.response()
                    }
                    #expect(response?.status == 404, "\(head)")
                    refusals.withLock { $0 += 1 }
                }
                // A silent connection, such as browsers open in advance, and a head that does not end.
                try await Wire.connect(to: port) { silent in
                    try await Wire.connect(to: port) { wire in
                        try await wire.send("GET " + String(repeating: "a", count: 20_000))
                        #expect(await wire.rest().isEmpty)
                    }
                    #expect(try await Self.get(redirect, at: server).status == 200)
                    _ = silent
                }
            }
            let client = TokenExchangeClient(
                server: try #require(URL(string: server.issuer)), clientID: "my-app", browser: browser, idToken: nil,
                appCheckToken: nil, http: server.http, timing: .endless)
            #expect(try await client.signIn(with: .yahoo).uid == TestServer.alice)
            #expect(refusals.withLock { $0 } == 11)
        }
    }

    @Test("A user who does not finish in time leaves no listener behind")
    func timeout() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            let port = Kept()
            let browser = Browser.loopback(timeout: 90) { url in
                await port.keep(try #require(URL(string: RedirectParameters(url)["redirect_uri"] ?? "")))
            }
            try await expectError("timed_out", "auth/timeout") {
                try await server.client(browser: browser, pauses: pauses).signIn(with: .yahoo)
            }
            #expect(pauses.all == [90])
            let left = try #require(await port.url).absoluteString
            await #expect(throws: TransportError.self) { try await Self.get(left, at: server) }
        }
    }

    @Test("A connection that stays silent is closed after 30 seconds")
    func silence() async throws {
        struct Closed: Error {}
        try await TestServer.open { server in
            let browser = Browser.loopback { url in
                let port = RedirectParameters(url)["redirect_uri"]?.split(separator: ":").last?.split(separator: "/")
                    .first
                try await Wire.connect(to: Int(port ?? "") ?? 0) { #expect(await $0.rest().isEmpty) }
                throw Closed()
            }
            var timing = Timing.endless
            timing.pause = { if $0 != 30 { try await Timing.endless.pause($0) } }
            let client = TokenExchangeClient(
                server: try #require(URL(string: server.issuer)), clientID: "my-app", browser: browser, idToken: nil,
                appCheckToken: nil, http: server.http, timing: timing)
            let error = try await expectError(.browserFailed, "auth/operation-not-supported-in-this-environment") {
                try await client.signIn(with: .yahoo)
            }
            #expect(error.underlyingError is Closed)
        }
    }

    @Test("A cancelled task ends the listener, and a failed start of the browser does so")
    func cancellation() async throws {
        try await TestServer.open { server in
            let (started, whenStarted) = AsyncStream.makeStream(of: URL.self)
            let browser = Browser.loopback { whenStarted.yield($0) }
            let client = TokenExchangeClient(
                server: try #require(URL(string: server.issuer)), clientID: "my-app", browser: browser, idToken: nil,
                appCheckToken: nil, http: server.http, timing: .endless)
            let signIn = Task { try await client.signIn(with: .yahoo) }
            let url = try #require(await started.first { _ in true })
            signIn.cancel()
            try await expectError(.cancelled, "auth/user-cancelled") { try await signIn.value }
            let left = RedirectParameters(url)["redirect_uri"] ?? ""
            await #expect(throws: TransportError.self) { try await Self.get(left, at: server) }

            struct NoDesktop: Error {}
            let error = try await expectError(.browserFailed, "auth/operation-not-supported-in-this-environment") {
                try await client.signIn(with: .yahoo, in: .loopback { _ in throw NoDesktop() })
            }
            #expect(error.underlyingError is NoDesktop)
        }
    }
}
