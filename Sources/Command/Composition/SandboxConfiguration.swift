internal import Foundation
internal import Jansson
internal import OpenSSL
internal import Sandbox

/// A server's configuration against the stand-ins, in a folder of its own.
struct SandboxConfiguration {
    let addresses: SandboxAddresses
    let folder: String
    let publicURL: String
    let serverPort: Int
    let adminPort: Int

    /// Writes `token-exchange.yaml` anew each time, and `service-account.json` where there is none yet.
    func write() throws {
        let manager = FileManager.default
        let root = URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL.path
        do {
            try manager.createDirectory(
                atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let account = root + "/service-account.json"
            if !manager.fileExists(atPath: account) {
                try store(try serviceAccount(), at: account)
            }
            try store(Array(yaml(root).utf8), at: root + "/token-exchange.yaml")
        } catch {
            throw Exit.because("\(root) cannot be written: \(error.localizedDescription)", Exit.failure)
        }
    }

    private func store(_ bytes: [UInt8], at path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Of a project that does not exist: what its key signs, nobody but the sandbox takes.
    private func serviceAccount() throws -> [UInt8] {
        let key = try RSAPrivateKey.generate(bitCount: 2048)
        return JSON.object([
            "type": .string("service_account"),
            "project_id": .string("sandbox"),
            "private_key_id": .string("sandbox"),
            "private_key": .string(try key.pem()),
            "client_email": .string("sandbox@sandbox.iam.gserviceaccount.com"),
        ]).serialized()
    }

    private func yaml(_ root: String) -> String {
        let ours = SandboxApplication.ours
        return """
            # Made by token-exchange sandbox: a server against the stand-ins for Yahoo and X. For development alone.
            server:
              listen: 127.0.0.1:\(serverPort)
              admin_listen: 127.0.0.1:\(adminPort)
              public_url: \(publicURL)
            firebase:
              service_account: "\(root)/service-account.json"
            store: "sqlite://\(root)/token-exchange.db"
            clients:
              my-app:
                name: My App
                redirect_uris: ["com.example.app:/oauth", "http://127.0.0.1/callback"]
                provider_redirect_uris: ["com.example.app:/yahoo", "com.example.app:/x"]
                grants: [authorization_code, token_exchange, device_code]
                return_provider_tokens: true
              sandbox:
                name: Sandbox home page
                redirect_uris: ["\(addresses.control)/callback"]
                provider_redirect_uris: ["\(addresses.control)/signin-callback"]
                origins: ["\(addresses.control)"]
                grants: [authorization_code, token_exchange, device_code]
                return_provider_tokens: true
              living-room-tv:
                name: Living Room TV
                grants: [device_code]
            providers:
              yahoo.com:
                client_id: "\(ours.yahoo.clientID)"
                client_secret: "\(ours.yahoo.clientSecret)"
                allowed_scopes: [mail-r, sdct-w]
                endpoints:
                  issuer: \(addresses.yahoo)
                  authorization: \(addresses.yahoo)/oauth2/request_auth
                  token: \(addresses.yahoo)/oauth2/get_token
                  userinfo: \(addresses.yahoo)/openid/v1/userinfo
                  jwks: \(addresses.yahoo)/openid/v1/certs
              twitter.com:
                flow: oauth2
                accept: [authorization_code, oauth1_token]
                oauth1:
                  consumer_key: "\(ours.x.consumerKey)"
                  consumer_secret: "\(ours.x.consumerSecret)"
                  request_email: true
                oauth2:
                  client_id: "\(ours.x.clientID)"
                  client_secret: "\(ours.x.clientSecret ?? "")"
                endpoints:
                  api: \(addresses.x)
                  authorize: \(addresses.x)/i/oauth2/authorize
                  oauth1_authenticate: \(addresses.x)/oauth/authenticate
            limits:
              exchange_per_address: off
            logging:
              format: text

            """
    }
}
