import Jansson

/// The stand-in for Google's `oauth2`, `identitytoolkit`, `securetoken`, `iamcredentials`, `secretmanager` and
/// `firebaseappcheck`, for the keys at `www.googleapis.com`, and for the metadata server of a machine at Google.
///
/// It performs the checks that Google is known to perform. Like the Firebase emulator, and perhaps like Google,
/// `accounts:update` links a federated identity even if it belongs to another user. Known differences: signed times may
/// be 60 seconds in the future, and below the emulator's paths custom tokens must be signed and ID tokens are signed.
actor GoogleStandIn {
    static let signedTimesMayBeAhead: Int64 = 60

    let clock: SandboxClock
    let projectID: String
    let projectNumber = "123456789012"
    let apiKey: String
    /// The service account of the virtual machine.
    ///
    /// Only the stand-in has its keys.
    let defaultAccount: String
    /// The service accounts by e-mail address.
    private(set) var serviceAccounts: [String: GoogleServiceAccount] = [:]
    /// The keys that Google manages for service accounts, by e-mail address.
    var managedKeys: [String: GoogleKeyRing] = [:]
    var accessTokens: [String: GoogleAccessToken] = [:]
    /// The users by tenant.
    ///
    /// The users of the project itself have the empty key.
    var pools: [String: GoogleUserPool]
    /// The sessions by refresh token.
    var sessions: [String: GoogleSession] = [:]
    var idTokenKeys = GoogleKeyRing(owner: "securetoken.system.gserviceaccount.com")
    var appCheckKeys = GoogleKeyRing(owner: "firebaseappcheck.googleapis.com")
    /// The `jti` of consumed App Check tokens, with their expiry.
    var consumed: [String: Int64] = [:]
    /// The secrets of the project by name.
    var secrets: [String: GoogleSecret] = [:]

    init(_ settings: GoogleSettings, clock: SandboxClock) {
        self.clock = clock
        projectID = settings.projectID
        apiKey = settings.apiKey
        defaultAccount = "default@\(settings.projectID).iam.gserviceaccount.com"
        pools = ["": GoogleUserPool()]
        for tenant in settings.tenants { pools[tenant] = GoogleUserPool() }
        secrets = settings.secrets.mapValues { GoogleSecret(versions: [.init(payload: Array($0.utf8))]) }
        let own = GoogleServiceAccount(email: defaultAccount, projectID: projectID, publicKey: nil)
        for account in [own] + settings.serviceAccounts { serviceAccounts[account.email] = account }
    }

    func answer(_ request: IncomingRequest) -> Answer {
        guard let path = GooglePath(request.path), path.endpoint.methods.contains(request.method) else {
            // Google responds to a wrong method as to a wrong path.
            return .text("The requested URL was not found on this server.", status: 404)
        }
        do throws(Refusal) {
            switch path.endpoint {
            case .googleToken: return try token(request)
            case .googleMetadataAccount, .googleMetadataEmail, .googleMetadataToken, .googleMetadataProject:
                return try metadata(request, at: path.endpoint)
            case .googleSignBlob: return try signBlob(request, path)
            case .googleSecret: return try accessSecret(request, path)
            case .googleIDTokenCertificates, .googleIDTokenKeys, .googleAccountCertificates, .googleAccountKeys,
                .googleAppCheckKeys, .googleAppCheckBetaKeys:
                return try keys(path)
            case .googleAppCheckVerify: return try consumeAppCheckToken(request, path)
            case .googleCustomSignIn, .googlePasswordSignIn, .googleSignUp, .googleClientLookup, .googleClientUpdate,
                .googleClientDelete, .googleRefresh:
                return try answerClient(request, path)
            default: return try answerAdministrator(request, path)
            }
        } catch {
            return error.answer
        }
    }

    /// Registers a service account, replacing one with the same address.
    func register(_ account: GoogleServiceAccount) {
        serviceAccounts[account.email] = account
    }

    /// Returns `false` if there is none.
    func forget(serviceAccount email: String) -> Bool {
        managedKeys[email] = nil
        return serviceAccounts.removeValue(forKey: email) != nil
    }
}

/// The settings of Google's stand-in.
package struct GoogleSettings: Sendable {
    /// The port; 0 for any free port.
    package let port: Int
    package let projectID: String
    /// The API key, which clients send as `key`.
    package let apiKey: String
    /// The service accounts whose private keys are outside of the stand-in.
    package let serviceAccounts: [GoogleServiceAccount]
    /// The tenants of Identity Platform.
    ///
    /// No other tenant exists.
    package let tenants: [String]
    /// The texts of Secret Manager by the names of the secrets, each as version 1.
    package let secrets: [String: String]

    package init(
        port: Int = 0, projectID: String = "sandbox", apiKey: String = "sandbox-api-key",
        serviceAccounts: [GoogleServiceAccount] = [], tenants: [String] = ["tenant-1"], secrets: [String: String] = [:]
    ) {
        self.port = port
        self.projectID = projectID
        self.apiKey = apiKey
        self.serviceAccounts = serviceAccounts
        self.tenants = tenants
        self.secrets = secrets
    }
}

/// The session of a refresh token.
struct GoogleSession: Sendable {
    let localID: String
    let tenantID: String?
    /// `custom`, `anonymous` or `password`.
    let provider: String
    /// The claims of the custom token.
    ///
    /// They are at the top level of every ID token of the session.
    let developerClaims: [String: JSON]
    /// The time of the sign-in.
    let authTime: Int64
}

extension GoogleStandIn {
    /// Reads a JSON body.
    ///
    /// Unknown members are refused, as in Google's APIs.
    func read<Value>(
        _ request: IncomingRequest, _ members: (inout ControlInput) throws(ControlError) -> Value
    ) throws(Refusal) -> Value {
        guard request.mediaType == "application/json", let json = try? JSON.parse(request.body, maximumBytes: 1 << 20)
        else { throw GoogleError.invalidArgument("Invalid JSON payload received.") }
        do throws(ControlError) {
            var input = try ControlInput(json)
            let value = try members(&input)
            try input.finish()
            return value
        } catch {
            switch error {
            case .unknownMember(let name):
                throw GoogleError.invalidArgument(
                    "Invalid JSON payload received. Unknown name \"\(name)\": Cannot find field.")
            case .invalid(let name, let expected):
                throw GoogleError.invalidArgument("Invalid value at '\(name)': expected \(expected)")
            case .notJSON, .refused:
                throw GoogleError.invalidArgument("Invalid JSON payload received.")
            }
        }
    }

    /// The users of a tenant, or of the project if `tenantID` is `nil`.
    func pool(_ tenantID: String?) throws(Refusal) -> GoogleUserPool {
        guard let tenantID, !tenantID.isEmpty else { return pools[""] ?? GoogleUserPool() }
        guard let pool = pools[exactly: tenantID] else { throw GoogleError.identity("TENANT_NOT_FOUND") }
        return pool
    }

    /// Reads a pool of users, applies a change and stores the result.
    func changingPool<Value>(
        _ tenantID: String?, _ change: (inout GoogleUserPool) throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        var pool = try pool(tenantID)
        let value = try change(&pool)
        pools[tenantID ?? ""] = pool
        return value
    }
}
