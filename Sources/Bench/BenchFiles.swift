internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL

/// What a measured server is configured with.
enum BenchFiles {
    static func serviceAccount() throws -> [UInt8] {
        let key = try RSAPrivateKey.generate(bitCount: 2048)
        return JSON.object([
            "type": .string("service_account"), "project_id": .string("bench"), "private_key_id": .string("bench"),
            "private_key": .string(try key.pem()), "client_email": .string("bench@bench.iam.gserviceaccount.com"),
        ]).serialized()
    }

    /// One generic provider whose nonces the application makes, so that nothing but the exchange is measured.
    static func configuration(
        folder: String, postgres: String?, port: Int, adminPort: Int, issuer: String
    ) throws -> String {
        """
        server: {listen: "127.0.0.1:\(port)", admin_listen: "127.0.0.1:\(adminPort)", public_url: "http://127.0.0.1:\(port)", drain_delay: 0s}
        firebase: {service_account: \(folder)/service-account.json}
        store: "\(postgres ?? "sqlite://\(folder)/bench.db")"
        seal_keys: ["\(Base64URL.encode(try SecureRandom.bytes(32)))"]
        clients: {bench: {name: Bench}}
        providers:
          bench:
            client_id: bench-audience
            token_endpoint_auth: none
            accept: [id_token]
            nonce: client
            max_age: 1h
            endpoints:
              issuer: \(issuer)
              authorization: \(issuer)/authorize
              token: \(issuer)/token
              jwks: \(issuer)/keys
        limits: {exchange_per_address: off}
        logging: {level: error}
        audit: {output: false}
        """
    }
}
