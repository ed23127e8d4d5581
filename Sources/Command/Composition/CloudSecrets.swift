internal import Firebase
internal import JOSE
internal import Settings
internal import Transport

/// Reads the secrets of a configuration from Google's Secret Manager.
struct CloudSecrets: Sendable {
    private let project: String?
    private let manager: SecretManager
    /// The metadata server, without a path.
    private let metadata: String
    private let usesMetadataServer: Bool
    /// The address of the service account that reads; `nil` if the credentials name none.
    private let email: ServiceAccountEmail?

    /// Reads secrets with a client of their own, because the proxy of the configuration may be another one than before.
    ///
    /// A proxy whose URL is in Secret Manager itself is not used here.
    ///
    /// - Parameter settings: The configuration without their values.
    @Sendable static func read(
        _ names: Set<CloudSecretName>, _ settings: Settings
    ) async -> [CloudSecretName: CloudSecretReading] {
        do {
            return try await CommandTransport.use(settings) { transport in
                try await CloudSecrets(settings, names, transport, .system).read(names)
            }
        } catch {
            let sentence = (error as? ExitReason)?.message ?? "\(error)"
            return names.reduce(into: [:]) { $0[$1] = .failed("cannot be read: \(sentence)") }
        }
    }

    /// - Throws: Exit 78 for credentials that cannot be used.
    private init(
        _ settings: Settings, _ names: Set<CloudSecretName>, _ transport: HTTPTransport, _ time: TimeSource
    ) async throws {
        var firebase = settings.firebase
        let throttle = RetryThrottle()
        let retries = RetryPolicy(throttle)
        let account = try ServiceAccounts.load(settings).first
        let credentials = try GoogleIdentity.credentials(firebase)
        usesMetadataServer = account == nil && credentials == nil
        if usesMetadataServer {
            // The emulator has no secrets, a signing process has no token for them, and an account in Secret Manager is not
            // known yet: the machine itself has to be allowed to read.
            firebase.signing = .iam(serviceAccount: nil, credentials: nil)
        }
        let tokens = try GoogleIdentity.accessTokens(firebase, account, transport: transport, time: time, throttle)
        metadata = firebase.endpoints.metadata
        let calls = transport.calling("metadata")
        email =
            usesMetadataServer
            ? .discovered(origin: metadata, transport: calls, time: time, retries: retries)
            : (account?.clientEmail ?? credentials?.email).flatMap { .configured($0) }
        var project = firebase.projectID ?? account?.projectID
        if project == nil, names.contains(where: { $0.project == nil }) {
            project =
                (try? await MachineProject.find(origin: metadata, transport: calls, time: time, retries: retries))
                ?? nil
        }
        self.project = project
        manager = SecretManager(
            origin: firebase.endpoints.secretManager, tokens: tokens, transport: transport.calling("secret_manager"),
            time: time, retries: retries)
    }

    /// Reads all secrets at the same time.
    private func read(_ names: Set<CloudSecretName>) async -> [CloudSecretName: CloudSecretReading] {
        await withTaskGroup(of: (CloudSecretName, CloudSecretReading).self) { group in
            for name in names {
                group.addTask { (name, await read(name)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func read(_ name: CloudSecretName) async -> CloudSecretReading {
        guard let project = name.project ?? project else {
            return .failed(
                "belongs to no project that is known: the metadata server \(metadata) names none. Write firebase.project_id, "
                    + "or gcp-secret:projects/PROJECT/secrets/\(name.secret)/versions/\(name.version)")
        }
        do throws(SecretManagerError) {
            let version = try await manager.access(name.version, of: name.secret, in: project)
            return .payload(SettingsFile(bytes: version.payload), version: version.name)
        } catch {
            return .failed(await sentence(error, name, project))
        }
    }

    /// What is wrong and what to do, as the end of a sentence whose subject is the secret.
    private func sentence(_ error: SecretManagerError, _ name: CloudSecretName, _ project: String) async -> String {
        let secret = "\(name.secret) --project \(project)"
        switch error {
        case .accessToken(.unreachable(let error)) where usesMetadataServer:
            return "of the project \(project) cannot be read, because no metadata server of Google Cloud answers "
                + "(\(error.sentence)): on another machine name a file as firebase.google_credentials with "
                + "signer: iam, or as firebase.service_account without it, or write env:NAME or file:/path instead of gcp-secret:"
        case .accessToken(let error):
            return "of the project \(project) cannot be read, because there is no access token: "
                + [error.sentence, error.advice].compactMap(\.self).joined(separator: ". ")
        case .unreachable(let error):
            return "of the project \(project) cannot be read: "
                + [error.sentence, error.advice(mayBeProvider: false)].compactMap(\.self).joined(separator: ". ")
        case .forbidden(.role):
            let address = await email?.find()
            let caller = address.map { "the service account \($0)" } ?? "the identity that asks"
            return "of the project \(project) may not be read by \(caller). If the project is right and the role "
                + "roles/secretmanager.secretAccessor is missing: gcloud secrets add-iam-policy-binding \(secret) "
                + "--member \(address.map { "serviceAccount:\($0)" } ?? "MEMBER") "
                + "--role roles/secretmanager.secretAccessor"
        case .forbidden(let fault):
            return "of the project \(project) may not be read, because "
                + [fault.sentence("Secret Manager API"), fault.remedy("secretmanager.googleapis.com")].compactMap(
                    \.self
                )
                .joined(separator: ". ")
        case .notFound where name.version == "latest":
            return "does not exist in the project \(project), or has no version: gcloud secrets create \(secret) "
                + "--data-file=-, which reads the value from standard input"
        case .notFound:
            return
                "or its version \(name.version) does not exist in the project \(project): write a version that gcloud "
                + "secrets versions list \(secret) shows"
        case .notEnabled:
            return
                "of the project \(project) has a version \(name.version) that is disabled or destroyed: gcloud secrets "
                + "versions enable VERSION --secret \(secret), or gcloud secrets versions add \(secret) --data-file=-"
        case .refused(let status, let words):
            return
                "of the project \(project) cannot be read, because the answer has the status \(status)"
                + (words.map { " (\($0))" } ?? "") + ": try again later; if that does not help, compare the name, and "
                + "firebase.endpoints.secret_manager. \(OutboundResponse.adviceOnProxies)"
        case .malformed:
            return
                "cannot be read, because the answer is not that of Secret Manager: check firebase.endpoints.secret_manager"
        case .damaged: return "was damaged on its way, as its checksum shows: try again"
        case .tooLarge: return "has an answer of more than 128 KiB: store a value of at most 64 KiB"
        }
    }
}
