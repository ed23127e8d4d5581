internal import Firebase
internal import Foundation
internal import Jansson
internal import OpenSSL
internal import Sandbox
internal import Settings

/// The folder of a server that uses the stand-ins, with its service account.
struct SandboxFolder {
    /// The absolute path, without a trailing slash.
    let path: String

    /// Creates the folder, and `service-account.json` if it does not exist.
    static func make(_ path: String) throws -> SandboxFolder {
        let root = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL.path
        let folder = SandboxFolder(path: root.hasSuffix("/") ? String(root.dropLast()) : root)
        do {
            try FileManager.default.createDirectory(
                atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            if !FileManager.default.fileExists(atPath: folder.accountPath) {
                try folder.store(try ServiceAccount.made(for: "sandbox"), at: "service-account.json")
            }
        } catch {
            throw Exit.because("\(folder.path) cannot be written: \(error.localizedDescription)", Exit.failure)
        }
        return folder
    }

    private var accountPath: String { path + "/service-account.json" }

    /// The service account in the form that Google's stand-in needs.
    func serviceAccount() throws -> GoogleServiceAccount {
        do {
            let file = Array(try Data(contentsOf: URL(fileURLWithPath: accountPath)))
            let account = try ServiceAccount.parse(file)
            let key = try RSAPrivateKey(pem: try JSON.parse(file)["private_key"]?.string ?? "")
            return GoogleServiceAccount(
                email: account.clientEmail, projectID: account.projectID, keyID: account.privateKeyID,
                publicKey: account.publicKey,
                certificate: try GoogleServiceAccount.certificate(
                    for: account.clientEmail, key: key, now: Int64(Date().timeIntervalSince1970)))
        } catch {
            throw Exit.because("\(accountPath) is invalid; remove it, and a new one will be created", Exit.failure)
        }
    }

    func store(_ bytes: [UInt8], at name: String) throws {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}

extension ServiceAccount {
    /// Returns the JSON file of a new service account of a project that does not exist.
    ///
    /// Only stand-ins accept its signatures.
    static func made(for project: String) throws -> [UInt8] {
        let key = try RSAPrivateKey.generate()
        return JSON.object([
            "type": .string("service_account"), "project_id": .string(project), "private_key_id": .string(project),
            "private_key": .string(try key.pem()),
            "client_email": .string("\(project)@\(project).iam.gserviceaccount.com"),
        ]).serialized()
    }
}

/// The configuration of a server that uses the stand-ins.
struct SandboxConfiguration {
    let addresses: SandboxAddresses
    let folder: SandboxFolder
    let directory: Settings.Firebase.Directory
    let publicURL: String
    let listenAddress: String
    let serverPort: Int
    let adminPort: Int
    /// The address of the emulator of Firestore in which the server stores; `nil` for SQLite.
    let firestoreEmulator: String?

    /// Writes `token-exchange.yaml` and the files with the secrets that it names, replacing existing files.
    func write() throws {
        do {
            for (name, secret) in try secrets() { try folder.store(Array(secret.utf8), at: name) }
            try folder.store(Array(yaml(folder.path).utf8), at: "token-exchange.yaml")
        } catch {
            throw Exit.because("\(folder.path) cannot be written: \(error.localizedDescription)", Exit.failure)
        }
    }

    private static let apiKey = "firebase-api-key"
    private static let yahooSecret = "yahoo-client-secret"
    private static let consumerSecret = "x-consumer-secret"
    private static let xSecret = "x-client-secret"
    private static let providerSecret = "provider-client-secret"
    private static let signingKey = "AuthKey_\(ProviderRegistration.signingKeyID).p8"

    private func secrets() throws -> [String: String] {
        let ours = SandboxApplication.ours
        return [
            Self.yahooSecret: ours.yahoo.clientSecret, Self.consumerSecret: ours.x.consumerSecret,
            Self.xSecret: ours.x.clientSecret ?? "", Self.apiKey: "sandbox-api-key",
            Self.providerSecret: DocumentedProvider.all.first.map { ours.registration(at: $0).clientSecret } ?? "",
            Self.signingKey: try ProviderRegistration.signingKey.get().pem(),
        ]
    }

    private func yaml(_ root: String) -> String {
        let ours = SandboxApplication.ours
        let ownURIs =
            (["yahoo.com: [\"com.example.app:/yahoo\"]", "twitter.com: [\"com.example.app:/x\"]"]
            + DocumentedProvider.all.map { "\($0.id): [\"com.example.app:/\($0.id)\"]" }).joined(separator: ", ")
        let store =
            firestoreEmulator.map {
                """
                store: firestore://sandbox/sandbox
                store_emulator_host: "\($0)"
                seal_keys: ["gcp-secret:token-exchange-seal-key"]
                store_keys: ["gcp-secret:token-exchange-store-key"]
                """
            } ?? "store: \"sqlite://\(root)/token-exchange.db\""
        return """
            # Written by token-exchange-lab sandbox: a server that uses the stand-ins for all providers of the guide. For
            # development only.
            server:
              listen: "\(listenAddress):\(serverPort)"
              admin_listen: "\(listenAddress):\(adminPort)"
              public_url: \(publicURL)
              drain_delay: 0s
            firebase:
              service_account: "\(root)/service-account.json"
              directory: \(directory.rawValue)
              api_key: "file:\(root)/\(Self.apiKey)"
              endpoints:
                identity_toolkit: \(addresses.google)
                oauth_token: \(addresses.google)/token
                id_token_keys: \(addresses.google)/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com
                app_check_keys: \(addresses.google)/v1/jwks
                service_account_keys: \(addresses.google)/robot/v1/metadata/x509
                iam_credentials: \(addresses.google)
                metadata: \(addresses.google)
                secret_manager: \(addresses.google)
            \(store)
            clients:
              my-app:
                name: My App
                redirect_uris: ["com.example.app:/oauth", "http://127.0.0.1/callback"]
                provider_redirect_uris: {\(ownURIs)}
                grants: [authorization_code, token_exchange, device_code]
                return_provider_tokens: true
                anonymous: true
              without-sdk:
                name: An application without Firebase's SDK
                redirect_uris: ["com.example.app:/oauth", "http://127.0.0.1/callback"]
                provider_redirect_uris: {yahoo.com: ["com.example.app:/yahoo"], twitter.com: ["com.example.app:/x"]}
                grants: [authorization_code, token_exchange, device_code]
                anonymous: true
                redeem: true
              my-extension:
                name: My Extension
                redirect_uris: ["https://dmpapmmdflhnkjngfgihaigkbnjkgmfp.chromiumapp.org/callback"]
                origins: ["chrome-extension://dmpapmmdflhnkjngfgihaigkbnjkgmfp"]
                redeem: true
              checked-app:
                name: An application with App Check
                provider_redirect_uris: {yahoo.com: ["com.example.app:/yahoo"], twitter.com: ["com.example.app:/x"]}
                app_check: required
                app_check_apps: ["1:1234567890:ios:abcdef"]
              sandbox:
                name: My App
                redirect_uris: ["\(addresses.control)/callback"]
                provider_redirect_uris:
                  yahoo.com: ["\(addresses.control)/signin-callback/yahoo.com"]
                  twitter.com: ["\(addresses.control)/signin-callback/twitter.com"]
                origins: ["\(addresses.control)"]
                grants: [authorization_code, token_exchange, device_code]
                return_provider_tokens: true
                anonymous: true
              living-room-tv:
                name: Living Room TV
                grants: [device_code]
            providers:
              yahoo.com:
                client_id: "\(ours.yahoo.clientID)"
                client_secret: "file:\(root)/\(Self.yahooSecret)"
                allowed_scopes: [mail-r, sdct-w]
                endpoints:
                  issuer: \(addresses.yahoo)
                  authorization: \(addresses.yahoo)/oauth2/request_auth
                  token: \(addresses.yahoo)/oauth2/get_token
                  userinfo: \(addresses.yahoo)/openid/v1/userinfo
                  jwks: \(addresses.yahoo)/openid/v1/certs
                  revocation: \(addresses.yahoo)/oauth2/revoke
              twitter.com:
                flow: oauth2
                accept: [authorization_code, oauth1_token]
                oauth1:
                  consumer_key: "\(ours.x.consumerKey)"
                  consumer_secret: "file:\(root)/\(Self.consumerSecret)"
                  request_email: true
                oauth2:
                  client_id: "\(ours.x.clientID)"
                  client_secret: "file:\(root)/\(Self.xSecret)"
                endpoints:
                  api: \(addresses.x)
                  authorize: \(addresses.x)/i/oauth2/authorize
                  oauth1_authenticate: \(addresses.x)/oauth/authenticate
            \(providers(root))
            limits:
              exchange_per_address: off
              page_per_address: off
              anonymous_per_address: off
              provider_failures: off
            logging:
              format: text

            """
    }

    /// The sections of the providers of ``SandboxAddresses/providers``, without the indentation of their first line.
    private func providers(_ root: String) -> String {
        DocumentedProvider.all.flatMap { provider in
            let secret =
                provider.hasSignedSecret
                ? "{apple: {key: \"file:\(root)/\(Self.signingKey)\", key_id: \(ProviderRegistration.signingKeyID), "
                    + "team_id: \(ProviderRegistration.signingTeamID)}}" : "\"file:\(root)/\(Self.providerSecret)\""
            let section = provider.configuration(
                origin: addresses.providers,
                clientID: SandboxApplication.ours.registration(at: provider).clientID, clientSecret: secret)
            return ["  \(provider.id):"] + section.map { "    " + $0 }
        }.joined(separator: "\n")
    }
}
