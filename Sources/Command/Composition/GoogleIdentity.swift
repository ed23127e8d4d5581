internal import CoreMetrics
internal import Firebase
internal import Foundation
internal import JOSE
internal import Jansson
internal import LocalSockets
internal import Minting
internal import OpenSSL
internal import Settings
internal import Standards
internal import Transport

/// The identity with which this deployment signs and calls Google.
struct GoogleIdentity {
    let signer: CustomTokenSigner
    let accessTokens: AccessTokenSource
    /// The identity of the access tokens, in words.
    let caller: String
    /// The budget of repeated calls, for every call to Google.
    let throttle = RetryThrottle()

    /// Creates the identity of a configuration.
    ///
    /// - Parameters:
    ///   - account: The first service account of the configuration, if there is one.
    ///   - threadCount: The number of threads that sign at the same time, if the key is local.
    ///   - metrics: Receives the times of signatures.
    /// - Throws: Exit 78 for a service account that cannot be used.
    init(
        _ firebase: Settings.Firebase, _ account: ServiceAccount?, threadCount: Int,
        transport: HTTPTransport, time: TimeSource, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        let ownTokens = try Self.accessTokens(firebase, account, transport: transport, time: time, throttle)
        switch firebase.signing {
        case .emulator:
            signer = .unsignedForEmulator()
            accessTokens = ownTokens
            caller = "the emulator"
        case .serviceAccounts:
            guard let account else { throw Exit.because("there is no service account", Exit.configuration) }
            signer = try ServiceAccounts.signer(account, threadCount: threadCount, metrics: metrics)
            accessTokens = ownTokens
            caller = "the service account \(account.clientEmail.shown)"
        case .process(let socket):
            guard let projectID = firebase.projectID else {
                throw Exit.because("firebase.project_id is missing", Exit.configuration)
            }
            let process = CustomTokenSigner.process(
                projectID: projectID,
                calls: FrameClient(path: socket, maximumCalls: Self.maximumQuestions).calls, metrics: metrics)
            signer = process
            caller = "the service account of the signer"
            accessTokens = .assertions(
                endpoint: firebase.endpoints.oauthToken, transport: transport.calling("access_token"), time: time,
                retries: RetryPolicy(throttle)
            ) { () async throws(AccessTokenError) in try await Self.assertion(of: process) }
        case .iam(let name, _):
            let credentials = try Self.credentials(firebase)
            accessTokens = ownTokens
            caller = Self.caller(credentials)
            signer = .iam(
                origin: firebase.endpoints.iamCredentials,
                email: try Self.email(
                    name, credentials, firebase, transport: transport.calling("metadata"), time: time,
                    retries: RetryPolicy(throttle)),
                caller: caller,
                accessTokens: accessTokens,
                transport: transport.calling("sign_blob"), time: time, callLimit: 64, retries: .forSigning(throttle),
                metrics: metrics)
        }
    }

    /// Creates the source of the access tokens that this process obtains itself.
    ///
    /// - Parameter account: The first service account of the configuration, if there is one.
    /// - Returns: The source. With `signer: process` it has no token, because the signer asks for them.
    /// - Throws: Exit 78 for credentials that cannot be used.
    static func accessTokens(
        _ firebase: Settings.Firebase, _ account: ServiceAccount?, transport: HTTPTransport, time: TimeSource,
        _ throttle: RetryThrottle
    ) throws -> AccessTokenSource {
        let retries = RetryPolicy(throttle)
        switch firebase.signing {
        // The emulator (firebase-tools) accepts the token "owner" for administrators.
        case .emulator: return .fixed(Secret("owner"))
        case .process:
            return AccessTokenSource { _ throws(AccessTokenError) in
                throw .unsigned("with signer: process it asks for tokens itself")
            }
        case .serviceAccounts:
            guard let account else { throw Exit.because("there is no service account", Exit.configuration) }
            return .serviceAccount(
                account, endpoint: firebase.endpoints.oauthToken, scopes: scopes,
                transport: transport.calling("access_token"), time: time, retries: retries)
        case .iam:
            guard let credentials = try credentials(firebase) else {
                return .metadata(
                    origin: firebase.endpoints.metadata, transport: transport.calling("metadata"), time: time,
                    retries: retries)
            }
            return .credentials(
                credentials, scopes: scopes, userEndpoint: firebase.endpoints.oauthToken, inputs: .onThisMachine,
                transport: transport.calling("access_token"), time: time, retries: retries)
        }
    }

    /// The signer reads this many questions of one connection at once; each further one would wait.
    private static let maximumQuestions = 256

    private static func assertion(of signer: CustomTokenSigner) async throws(AccessTokenError) -> String {
        do throws(MintingError) {
            guard let assertion = try await signer.accessTokenAssertion() else { throw .process(.malformedAnswer) }
            return assertion
        } catch {
            throw .unsigned(error.sentence)
        }
    }

    private static func caller(_ credentials: GoogleCredentials?) -> String {
        guard let credentials else { return "the service account of this machine" }
        return credentials.email.map { "the service account \($0)" } ?? "the identity of google_credentials"
    }

    private static let scopes = [
        "https://www.googleapis.com/auth/identitytoolkit", "https://www.googleapis.com/auth/cloud-platform",
    ]

    private static func email(
        _ name: String?, _ credentials: GoogleCredentials?, _ firebase: Settings.Firebase, transport: HTTPTransport,
        time: TimeSource, retries: RetryPolicy
    ) throws -> ServiceAccountEmail {
        guard let name = name ?? credentials?.email else {
            return .discovered(
                origin: firebase.endpoints.metadata, transport: transport, time: time, retries: retries)
        }
        guard let email = ServiceAccountEmail.configured(name) else {
            throw Exit.because(
                "iam_service_account is not an e-mail address: write the address of a service account",
                Exit.configuration)
        }
        return email
    }
}

extension GoogleIdentity {
    /// Parses the file of credentials without a service account key, and checks that a service account is named.
    ///
    /// - Returns: The credentials; `nil` if the configuration has none.
    /// - Throws: Exit 78, with the file and its problem.
    static func credentials(_ firebase: Settings.Firebase) throws -> GoogleCredentials? {
        guard case .iam(let name, let file?) = firebase.signing else { return nil }
        let credentials: GoogleCredentials
        do throws(GoogleCredentialsError) {
            credentials = try GoogleCredentials.parse(Array(file.content.secretText.utf8))
        } catch {
            throw Exit.because(
                "\(file.origin): \(sentence(error, in: Array(file.content.secretText.utf8)))",
                Exit.configuration)
        }
        guard name != nil || credentials.email != nil else {
            throw Exit.because(
                "firebase.iam_service_account is missing, because firebase.google_credentials impersonates no "
                    + "service account: write the address of the service account that signs", Exit.configuration)
        }
        return credentials
    }

    /// Says that the service account of `signer: iam` belongs to another project, as its address shows.
    ///
    /// - Returns: The warning; `nil` if the projects are the same, or the address is not in the configuration.
    /// - Throws: As ``credentials(_:)``.
    static func projectWarning(_ firebase: Settings.Firebase) throws -> String? {
        guard case .iam(let name, _) = firebase.signing, let email = try name ?? credentials(firebase)?.email else {
            return nil
        }
        return projectWarning(of: email, firebase.projectID)
    }

    /// Says that a service account belongs to another project than that of the users.
    static func projectWarning(of email: String, _ projectID: String?) -> String? {
        guard let projectID, let own = ServiceAccountEmail.projectID(in: email), own != projectID else { return nil }
        return "the service account \(email) belongs to the project \(own), and firebase.project_id is \(projectID): "
            + "Firebase refuses custom tokens of another project (auth/custom-token-mismatch), so name a service account of "
            + projectID
    }

    private static func sentence(_ error: GoogleCredentialsError, in json: [UInt8]) -> String {
        switch error {
        case .notJSON: JSONText.damage(ofCredentials: json) ?? "is not a JSON object"
        case .serviceAccountKey:
            "contains the key of a service account; name it as firebase.service_account, and leave out signer: iam"
        case .missing(let name): "the member \(name) is missing or empty"
        case .invalid(let name):
            "the member \(name) has a value that is not allowed. A URL has to begin with https://, or with http:// if its host is "
                + "loopback or, for the token of this machine, its metadata server. The host of a URL of Google ends with "
                + ".googleapis.com. If the file differs from what gcloud wrote, let gcloud write it again"
        case .poolWithoutProvider:
            "the member audience names a workload identity pool and none of its providers: it ends with "
                + "/workloadIdentityPools/POOL/providers/PROVIDER, as gcloud iam workload-identity-pools create-cred-config writes it"
        case .unsupported("type"):
            "its type is \(((try? JSON.parse(json))?["type"]?.string ?? "").shown), which is not supported: write the file of "
                + "external_account (workload identity federation) or of gcloud auth application-default login "
                + "--impersonate-service-account=ADDRESS"
        case .unsupported(let name):
            "the member \(name) selects a kind of credentials that is not supported: write the file of a workload identity pool "
                + "of googleapis.com, with a token from a file, from a URL or from AWS (credential_source)"
        }
    }
}

extension CredentialInputs {
    /// The files and the environment of this process.
    fileprivate static var onThisMachine: Self {
        let environment = ProcessInfo.processInfo.environment
        return Self(
            file: { path in FileManager.default.contents(atPath: path).map { Array($0) } },
            variable: { name in environment[name].flatMap { $0.isEmpty ? nil : $0 } })
    }
}

extension HTTPTransport {
    /// Returns a transport for one kind of call to Google, so that metrics show it.
    func calling(_ call: String) -> HTTPTransport {
        queueing(in: CallQueue("google", call))
    }
}

/// The service accounts of a configuration, parsed and checked against each other.
enum ServiceAccounts {
    /// Parses the service accounts; returns none in emulator mode.
    ///
    /// The first one signs. The others are for rotation.
    ///
    /// - Returns: The service accounts in the order of the file.
    /// - Throws: Exit 78, with the file and its problem.
    static func load(_ settings: Settings) throws -> [ServiceAccount] {
        guard case .serviceAccounts(let files) = settings.firebase.signing else { return [] }
        let accounts = try files.map { try parse($0) }
        for (account, file) in zip(accounts, files) {
            let expected = settings.firebase.projectID ?? accounts[0].projectID
            guard account.projectID == expected else {
                throw Exit.because(
                    "\(file.origin): belongs to project \(account.projectID), not to \(expected): if the Firebase console shows "
                        + "another project ID than \(expected) for the project of the users, write that as firebase.project_id; otherwise "
                        + "name a service account of that project", Exit.configuration)
            }
        }
        return accounts
    }

    /// Parses the file of a service account.
    ///
    /// - Parameter readKey: Makes the key from the member `private_key`.
    /// - Throws: Exit 78, with the file and its problem.
    static func parse(
        _ file: Settings.CredentialsFile,
        readKey: (String) throws(KeyError) -> RSAPrivateKey = { pem throws(KeyError) in try RSAPrivateKey(pem: pem) }
    ) throws -> ServiceAccount {
        let json = Array(file.content.secretText.utf8)
        do throws(ServiceAccountError) {
            return try ServiceAccount.parse(json, readKey: readKey)
        } catch {
            throw Exit.because("\(file.origin): \(sentence(error, in: json))", Exit.configuration)
        }
    }

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - threadCount: The number of threads that sign at the same time.
    ///   - metrics: Receives the times of signatures.
    /// - Throws: Exit 78 for a key that cannot be used.
    static func signer(
        _ account: ServiceAccount, threadCount: Int, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws -> CustomTokenSigner {
        do {
            return try CustomTokenSigner(serviceAccount: account, threadCount: threadCount, metrics: metrics)
        } catch {
            throw Exit.because("the service account's key cannot be used", Exit.configuration)
        }
    }

    /// The failure in words, for an operator, without a value of the file.
    static func sentence(_ error: ServiceAccountError, in json: [UInt8]) -> String {
        switch error {
        case .notJSON where json.contains("PRIVATE KEY-----".utf8) && !json.contains(UInt8(ascii: "{")):
            "is only the key in PEM: name the JSON file, of which private_key is one member"
        case .notJSON: JSONText.damage(ofCredentials: json) ?? "is not a JSON object"
        case .notServiceAccount(let other): sentence(other)
        case .missing(let name): "the member \(name) is missing or empty"
        case .privateKey(let error):
            "private_key "
                + error.sentence(for: ((try? JSON.parse(json))?["private_key"]?.string ?? "").withPEMLineBreaks)
        }
    }

    private static func sentence(_ other: OtherCredentials) -> String {
        let renewal = "download a key in the Firebase console under Service accounts"
        switch other {
        case .externalAccount, .impersonatedServiceAccount:
            return
                "its type is \(other.rawValue) and not service_account, so that it has no key: write signer: iam with "
                + "project_id, and name the file as google_credentials instead of service_account"
        case .authorizedUser:
            return "its type is authorized_user and not service_account: it is the sign-in of a person, which signs no "
                + "custom tokens; \(renewal), or write signer: iam with project_id, and name as google_credentials the file of gcloud auth "
                + "application-default login --impersonate-service-account=ADDRESS"
        case .oauthClient: return "is the secret of an OAuth client and not a service account; \(renewal)"
        case .applicationConfiguration:
            return "is the configuration of an application and not a service account; \(renewal)"
        case .otherSpelling:
            return
                "its members are projectId, privateKey and clientEmail, as in code for the Admin SDK: name the file that Google "
                + "made, in which they are project_id, private_key and client_email, with type; or \(renewal)"
        case .unknown: return "its type is not service_account; \(renewal)"
        }
    }
}

extension KeyError {
    /// What is wrong with the private key of a service account, and what to do.
    ///
    /// - Parameter text: The member `private_key`, of which nothing is shown.
    /// - Returns: A sentence whose subject, the member, is left out.
    fileprivate func sentence(for text: String) -> String {
        let renewal = "download a new key in the Firebase console under Service accounts"
        if let damage = PEMText.damage(of: text, as: .privateKey), !text.hasPrefix("pkcs11:") || self == .malformed {
            return damage + "; or " + renewal
        }
        return switch self {
        case .wrongType(_, .p256), .wrongType(_, .otherCurve): "is an EC key, and must be an RSA key: \(renewal)"
        case .wrongType: "is not an RSA key: \(renewal)"
        case .unsupportedSize(let bits): "has \(bits) bits, and must have 2048 to 4096: \(renewal)"
        case .weakExponent: "has an exponent that no key of Google has: \(renewal)"
        case .pinInURI: "contains the PIN of the token (pin-value): write pin-source=file:/path instead"
        case .failed(let error) where text.hasPrefix("pkcs11:"):
            "leads to no key in a token (\(error.reasons.joined(separator: "; "))): compare token, object and pin-source "
                + "with what pkcs11-tool --list-objects shows, and pkcs11_module with the library of the token"
        case .failed(let error): "is refused by OpenSSL (\(error.reasons.joined(separator: "; "))): \(renewal)"
        case .malformed, .encrypted, .certificateInsteadOfKey, .publicKeyInsteadOfPrivate, .privateKeyInsteadOfPublic,
            .pointNotOnCurve, .halvesDoNotMatch:
            "has a content that is damaged, between its first and its last line: \(renewal)"
        }
    }
}
