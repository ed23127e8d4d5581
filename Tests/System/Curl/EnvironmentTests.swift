import Curl
import Foundation
import Testing
import Transport

@Suite("The environment", .timeLimit(.minutes(5)))
struct EnvironmentTests {
    @Test("UP-17, KY-06: Proxies, .netrc, key log and certificate files of the environment are ignored")
    func ignored() async {
        // This needs a process of its own, since all threads share the environment.
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { connection in
                while connection.nextRequest() != nil { connection.answer("proxy") }
            }
            let server = try LoopbackServer { connection in
                while connection.nextRequest() != nil { connection.answer("peer") }
            }
            let peer = try TLSPeer()
            let netrc = peer.folder.appendingPathComponent(".netrc")
            try "machine 127.0.0.1 login a password b\nmachine localhost login a password b\n"
                .write(to: netrc, atomically: true, encoding: .utf8)
            let keyLog = peer.folder.appendingPathComponent("keys").path
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                unsafe setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] { unsafe setenv(name, peer.caBundle, 1) }
            unsafe setenv("SSL_CERT_DIR", peer.folder.path, 1)
            unsafe setenv("HOME", peer.folder.path, 1)
            unsafe setenv("NETRC", netrc.path, 1)
            unsafe setenv("SSLKEYLOGFILE", keyLog, 1)

            let curl = try CurlTransport()
            #expect(try await curl.get(server.url()).text == "peer")
            #expect(server.requests.map(\.[field: "Authorization"]) == [nil])
            await #expect(throws: TransportError.untrusted(host: "localhost", because: .missingIssuer)) {
                try await curl.get(peer.protocolURL)
            }
            let trusting = try CurlTransport.with { $0.caBundle = peer.caBundle }
            #expect(try await trusting.get(peer.protocolURL).text.hasPrefix("HTTP/2.0 "))
            #expect(proxy.accepted == 0)

            // Neither does a variable disable the proxy of the configuration.
            for name in ["no_proxy", "NO_PROXY"] { unsafe setenv(name, "*", 1) }
            let own = try LoopbackServer { connection in
                if connection.nextRequest() != nil { connection.answer(status: "403 Forbidden") }
            }
            let configured = try CurlTransport.with { $0.proxy = OutboundProxy(address: "127.0.0.1:\(own.port)") }
            let failure = TransportError.proxyFailed(
                proxy: "127.0.0.1:\(own.port)", host: "idp.example", status: 403)
            await #expect(throws: failure) { try await configured.get("https://idp.example/") }
            #expect(!FileManager.default.fileExists(atPath: keyLog))
            try peer.kill()
        }
    }
}
