internal import CommandSupport
internal import Firebase
internal import JOSE
internal import Minting
internal import OAuth
internal import Settings
internal import Transport

/// As whom this deployment signs, and asks Google.
struct GoogleIdentity {
    let signer: CustomTokenSigner
    let accessTokens: AccessTokenSource

    /// - `account`: the first of the configuration; nil where it names none.
    /// - `threadCount`: of threads that sign, where the key is here.
    /// - `queueLimit`: how many signatures may wait for them.
    /// - Throws: Exit 78 for a service account that cannot be used.
    init(
        _ firebase: Settings.Firebase, _ account: ServiceAccount?, threadCount: Int, queueLimit: Int,
        transport: HTTPTransport, time: TimeSource
    ) throws {
        switch firebase.signing {
        case .emulator:
            signer = .unsignedForEmulator()
            // firebase-tools: whoever says so is the owner.
            accessTokens = .fixed(Secret("owner"))
        case .serviceAccounts:
            guard let account else { throw Exit.because("there is no service account", Exit.configuration) }
            signer = try ServiceAccounts.signer(account, threadCount: threadCount, queueLimit: queueLimit)
            accessTokens = .serviceAccount(
                account, endpoint: firebase.endpoints.oauthToken, scopes: Self.scopes, transport: transport, time: time)
        case .iam(let name):
            accessTokens = .metadata(origin: firebase.endpoints.metadata, transport: transport, time: time)
            signer = .iam(
                origin: firebase.endpoints.iamCredentials,
                email: try Self.email(name, firebase, transport: transport, time: time), accessTokens: accessTokens,
                transport: transport, time: time, callLimit: 64)
        }
    }

    private static let scopes = [
        "https://www.googleapis.com/auth/identitytoolkit", "https://www.googleapis.com/auth/cloud-platform",
    ]

    private static func email(
        _ name: String?, _ firebase: Settings.Firebase, transport: HTTPTransport, time: TimeSource
    ) throws -> ServiceAccountEmail {
        guard let name else {
            return .discovered(origin: firebase.endpoints.metadata, transport: transport, time: time)
        }
        guard let email = ServiceAccountEmail.configured(name) else {
            throw Exit.because("iam_service_account is no e-mail address", Exit.configuration)
        }
        return email
    }
}
