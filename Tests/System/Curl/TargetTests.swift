import Curl
import Glibc
import Testing
import Transport

@Suite("The rule for URLs", .timeLimit(.minutes(5)))
struct URLRuleTests {
    @Test(
        "UP-03: Schemes other than https, and http to other machines, are refused before a connection",
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "dict://127.0.0.1/", "ldap://127.0.0.1/",
            "http://example.com/", "http://10.0.0.1/", "http://[::2]/", "http://128.0.0.1/", "http://0.0.0.0/",
            "http://127.0.0.1.example.com/", "http://127.example.com/", "http://localhost.example.com/",
            "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/", "http://metadata/",
            "http://metadata.google.internal.example/", "http://x.metadata.google.internal/", "http://127.0.0.256/",
            "//127.0.0.1/",
            "127.0.0.1", "localhost/x", "", "https://", "https:///path", "https:/path", "unknown://127.0.0.1/",
        ])
    func refusedScheme(_ url: String) async throws {
        let curl = try CurlTransport()
        await #expect(throws: TransportError.refusedURL) { try await curl.get(url) }
    }

    @Test(
        "Only a request that may reach a metadata server is sent there by http",
        arguments: [
            "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
            "http://169.254.169.254/latest/meta-data/iam/security-credentials",
            "http://169.254.169.254/metadata/identity/oauth2/token?resource=r",
            "http://[fd00:ec2::254]/latest/api/token",
        ])
    func metadataServers(_ url: String) async throws {
        let curl = try CurlTransport()
        await #expect(throws: TransportError.refusedURL) { try await curl.get(url) }
        // The URL is allowed. No time is left, so that no connection is opened: the machine may have such a server.
        var request = OutboundRequest(.get, url, timeout: .zero)
        request.reachesMetadataServer = true
        let error = await #expect(throws: TransportError.self) { try await curl.transport.send(request) }
        guard case .timedOut = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "A request that may reach a metadata server reaches no other host, path or port by http",
        arguments: [
            "http://169.254.169.253/latest/api/token", "http://169.254.169.254/",
            "http://169.254.169.254:8080/latest/x",
            "http://169.254.169.254/computeMetadata/v1/", "http://metadata.google.internal/latest/",
            "http://169.254.169.254/latest/../user-data", "http://example.com/latest/",
        ])
    func notMetadata(_ url: String) async throws {
        let curl = try CurlTransport()
        var request = OutboundRequest(.get, url)
        request.reachesMetadataServer = true
        await #expect(throws: TransportError.refusedURL) { try await curl.transport.send(request) }
    }

    @Test(
        "Only a request that permits a host is sent there by plain http",
        arguments: ["http://keycloak:8080/token", "http://KEYCLOAK/jwks", "http://[fd00::7]:8080/"])
    func plainHTTP(_ url: String) async throws {
        let curl = try CurlTransport()
        await #expect(throws: TransportError.refusedURL) { try await curl.get(url) }
        // No time is left, so that no connection is opened.
        let permitting = curl.transport.permittingPlainHTTP(to: ["keycloak", "[fd00::7]"])
        let error = await #expect(throws: TransportError.self) {
            try await permitting.send(OutboundRequest(.get, url, timeout: .zero))
        }
        guard case .timedOut = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "A request that permits a host reaches no other one by plain http, and never a metadata server",
        arguments: [
            "http://keycloak.example/", "http://a.keycloak/", "http://keycloak@10.0.0.7/", "http://10.0.0.7/",
            "http://169.254.169.254/latest/meta-data", "http://metadata.google.internal/computeMetadata/v1/",
            "http://[fd00:ec2::254]/latest/",
        ])
    func notPermitted(_ url: String) async throws {
        let permitting = try CurlTransport().transport.permittingPlainHTTP(to: [
            "keycloak", "169.254.169.254", "metadata.google.internal", "[fd00:ec2::254]",
        ])
        await #expect(throws: TransportError.refusedURL) { try await permitting.send(OutboundRequest(.get, url)) }
    }

    @Test(
        "User information, blanks, control characters and invalid hosts or ports in a URL are refused",
        arguments: [
            "https://user@example.com/", "https://user:password@example.com/", "http://user@127.0.0.1/",
            "https://:@example.com/", "https://example.com/a b", "https://example.com/\r\nX-Evil: 1",
            "https://example.com/\n", "https://example.com/\0", "https://example.com\\@127.0.0.1/",
            "https://exämple.com/", "https://example.com:99999/", "https://exa mple.com/",
        ])
    func refusedForm(_ url: String) async throws {
        let curl = try CurlTransport()
        await #expect(throws: TransportError.refusedURL) { try await curl.get(url) }
    }

    @Test(
        "Plain http to the loopback interface is allowed by address and by name", arguments: ["127.0.0.1", "localhost"])
    func loopback(_ host: String) async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer("here") }
        }
        defer { server.stop() }
        let response = try await CurlTransport().get("http://\(host):\(server.port)/")
        #expect(response.text == "here")
    }

    @Test(
        "Other loopback literals are connected to as well",
        arguments: [
            ("127.0.0.2", "127.0.0.2"), ("127.1", "127.0.0.1"), ("[::1]", "[::1]"),
            ("[0:0:0:0:0:0:0:1]", "[::1]"), ("LOCALHOST", "localhost"),
        ])
    func dialled(_ host: String, _ name: String) async throws {
        let port = try Sockets.unusedPort()
        let curl = try CurlTransport()
        await #expect(throws: TransportError.unreachable(host: name, port: "\(port)", number: ECONNREFUSED)) {
            try await curl.get("http://\(host):\(port)/")
        }
    }

    @Test("The description of a request contains no path, query or user information")
    func description() {
        #expect("\(OutboundRequest(.post, "https://u:p@example.com:8443/a?b=c"))" == "POST https://example.com:8443")
        #expect("\(OutboundRequest(.get, "https://example.com?code=c"))" == "GET https://example.com")
        #expect("\(OutboundRequest(.get, "secret"))" == "GET")
    }
}
