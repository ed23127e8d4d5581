import Foundation

/// An nginx on 127.0.0.1 with a certificate of an authority that exists only for this test.
final class TLSPeer: Sendable {
    struct Settings {
        /// The names in the certificate.
        var names = "DNS:localhost,IP:127.0.0.1"
        var isExpired = false
        var protocols = "TLSv1.2 TLSv1.3"
        /// Whether the server also sends the certificate of its authority.
        var sendsAuthority = false
        /// Whether the server offers HTTP/2.
        var speaksHTTP2 = true
        /// The port of a plain HTTP server, which gets all requests except `/protocol`.
        var origin: UInt16 = 9
        /// The number of requests after which the server closes a connection.
        var requestsPerConnection = 100_000
    }

    let port: UInt16
    /// The path of the authority's certificate.
    var caBundle: String { folder.appendingPathComponent("ca.pem").path }
    let folder: URL

    init(_ change: (inout Settings) -> Void = { _ in }) throws {
        var settings = Settings()
        change(&settings)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.issueCertificate(settings, in: folder)
        port = try Sockets.unusedPort()
        try Self.configuration(settings, port: port, in: folder)
            .write(to: folder.appendingPathComponent("nginx.conf"), atomically: true, encoding: .utf8)
        // nginx becomes a daemon, and its first process returns when the socket listens.
        try Command.run("nginx", from: "nginx-light", ["-p", folder.path, "-c", "nginx.conf", "-e", "error.log"])
    }

    deinit {
        try? kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Ends the server immediately, with its requests in progress.
    func kill() throws {
        try Command.run(
            "nginx", from: "nginx-light", ["-p", folder.path, "-c", "nginx.conf", "-e", "error.log", "-s", "stop"])
    }

    /// A URL whose response contains the protocol of the request and the number of the connection.
    var protocolURL: String { url("/protocol") }

    func url(_ path: String, host: String = "localhost") -> String { "https://\(host):\(port)\(path)" }

    private static func issueCertificate(_ settings: Settings, in folder: URL) throws {
        func file(_ name: String) -> String { folder.appendingPathComponent(name).path }
        func openssl(_ arguments: [String]) throws { try Command.run("openssl", from: "openssl", arguments) }
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try openssl(
            ["req", "-x509"] + key + ["-keyout", file("ca.key"), "-out", file("ca.pem"), "-subj", "/CN=test authority"])
        try openssl(["req"] + key + ["-keyout", file("leaf.key"), "-out", file("leaf.csr"), "-subj", "/CN=test peer"])
        try "subjectAltName=\(settings.names)".write(toFile: file("leaf.ext"), atomically: true, encoding: .utf8)
        try openssl([
            "x509", "-req", "-in", file("leaf.csr"), "-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial",
            "-extfile", file("leaf.ext"), "-days", settings.isExpired ? "-1" : "2", "-out", file("leaf.pem"),
        ])
        let parts = ["leaf.pem"] + (settings.sendsAuthority ? ["ca.pem"] : [])
        try parts.map { try String(contentsOfFile: file($0), encoding: .utf8) }.joined()
            .write(toFile: file("chain.pem"), atomically: true, encoding: .utf8)
    }

    private static func configuration(_ settings: Settings, port: UInt16, in folder: URL) -> String {
        """
        daemon on;
        master_process off;
        pid nginx.pid;
        events { worker_connections 1024; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            keepalive_requests \(settings.requestsPerConnection);
            server {
                listen 127.0.0.1:\(port) ssl\(settings.speaksHTTP2 ? " http2" : "");
                ssl_certificate chain.pem;
                ssl_certificate_key leaf.key;
                ssl_protocols \(settings.protocols);
                ssl_ciphers DEFAULT:@SECLEVEL=0;
                location = /protocol { return 200 "$server_protocol $connection"; }
                location / {
                    proxy_pass http://127.0.0.1:\(settings.origin);
                    proxy_http_version 1.1;
                    proxy_request_buffering off;
                }
            }
        }
        """
    }
}
