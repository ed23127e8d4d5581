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
