import Jansson

/// Stands in for Google's `oauth2`, `identitytoolkit`, `securetoken`, `iamcredentials` and `firebaseappcheck`, for
/// `www.googleapis.com` where keys are published, and for the metadata server of a machine at Google.
///
/// It checks what Google is known to check. Like the Firebase emulator, and perhaps like Google, it lets
/// `accounts:update` link a federated identity that belongs to somebody else. Known departures: signed times may be 60
/// seconds ahead, custom tokens without signature are refused below the emulator's paths too, and ID tokens are signed
/// there.
actor GoogleStandIn {
    static let signedTimesMayBeAhead: Int64 = 60

    let clock: SandboxClock
    let projectID: String
    let projectNumber = "123456789012"
    let apiKey: String
    /// That of the machine, whose keys only the stand-in has.
    let defaultAccount: String
    /// By e-mail address.
    private(set) var serviceAccounts: [String: GoogleServiceAccount] = [:]
    /// The keys that Google manages for service accounts, by e-mail address.
    var managedKeys: [String: GoogleKeyRing] = [:]
    var accessTokens: [String: GoogleAccessToken] = [:]
    /// By tenant; those of the project itself under the empty one.
    var pools: [String: GoogleUserPool]
    /// By refresh token.
    var sessions: [String: GoogleSession] = [:]
    var idTokenKeys = GoogleKeyRing(owner: "securetoken.system.gserviceaccount.com")
    var appCheckKeys = GoogleKeyRing(owner: "firebaseappcheck.googleapis.com")
    /// The `jti` of App Check tokens that were consumed, and when those expire.
    var consumed: [String: Int64] = [:]

    init(_ settings: GoogleSettings, clock: SandboxClock) {
        self.clock = clock
        projectID = settings.projectID
        apiKey = settings.apiKey
        defaultAccount = "default@\(settings.projectID).iam.gserviceaccount.com"
        pools = ["": GoogleUserPool()]
        for tenant in settings.tenants { pools[tenant] = GoogleUserPool() }
        let own = GoogleServiceAccount(email: defaultAccount, projectID: projectID, publicKey: nil)
        for account in [own] + settings.serviceAccounts { serviceAccounts[account.email] = account }
    }

    func answer(_ request: IncomingRequest) -> Answer {
        guard let path = GooglePath(request.path), path.endpoint.methods.contains(request.method) else {
            // Google's front does not tell a wrong method from a wrong path.
            return .text("The requested URL was not found on this server.", status: 404)
        }
        do throws(Refusal) {
            switch path.endpoint {
            case .googleToken: return try token(request)
            case .googleMetadataAccount, .googleMetadataEmail, .googleMetadataToken, .googleMetadataProject:
                return try metadata(request, at: path.endpoint)
            case .googleSignBlob: return try signBlob(request, path)
            case .googleIDTokenCertificates, .googleIDTokenKeys, .googleAccountCertificates, .googleAccountKeys,
                .googleAppCheckKeys, .googleAppCheckBetaKeys:
                return try keys(path)
            case .googleAppCheckVerify: return try consumeAppCheckToken(request, path)
            case .googleCustomSignIn, .googlePasswordSignIn, .googleSignUp, .googleClientLookup, .googleClientDelete,
                .googleRefresh:
                return try answerClient(request, path)
            default: return try answerAdministrator(request, path)
            }
        } catch {
            return error.answer
        }
    }

    /// Takes the place of an earlier one of that address.
    func register(_ account: GoogleServiceAccount) {
        serviceAccounts[account.email] = account
    }

    /// False where there is none.
    func forget(serviceAccount email: String) -> Bool {
        managedKeys[email] = nil
        return serviceAccounts.removeValue(forKey: email) != nil
    }
}

/// What Google's stand-in is told when it starts.
package struct GoogleSettings: Sendable {
    /// 0 asks for a free one.
    package let port: Int
    package let projectID: String
    /// What clients send as `key`.
    package let apiKey: String
    /// Those whose keys sign outside of the stand-in.
    package let serviceAccounts: [GoogleServiceAccount]
    /// Of Identity Platform; a tenant that is not named here does not exist.
    package let tenants: [String]

    package init(
        port: Int = 0, projectID: String = "sandbox", apiKey: String = "sandbox-api-key",
        serviceAccounts: [GoogleServiceAccount] = [], tenants: [String] = ["tenant-1"]
    ) {
        self.port = port
        self.projectID = projectID
        self.apiKey = apiKey
        self.serviceAccounts = serviceAccounts
        self.tenants = tenants
    }
}

/// What a refresh token stands for.
struct GoogleSession: Sendable {
    let localID: String
    let tenantID: String?
    /// `custom`, `anonymous` or `password`.
    let provider: String
    /// Those of the custom token, at the top of every ID token of the session.
    let developerClaims: [String: JSON]
    /// When the person signed in.
    let authTime: Int64
}

extension GoogleStandIn {
    /// Reads a JSON body; what nobody asked for is refused, as Google's APIs do.
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

    /// The users of a tenant, or of the project itself.
    func pool(_ tenantID: String?) throws(Refusal) -> GoogleUserPool {
        guard let tenantID, !tenantID.isEmpty else { return pools[""] ?? GoogleUserPool() }
        guard let pool = pools[exactly: tenantID] else { throw GoogleError.identity("TENANT_NOT_FOUND") }
        return pool
    }

    /// Runs in between the reading and the writing of a pool.
    func changingPool<Value>(
        _ tenantID: String?, _ change: (inout GoogleUserPool) throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        var pool = try pool(tenantID)
        let value = try change(&pool)
        pools[tenantID ?? ""] = pool
        return value
    }
}
