enum StandIn: String, Sendable {
    case yahoo, x, google

    var title: String {
        switch self {
        case .yahoo: "Yahoo"
        case .x: "X"
        case .google: "Google"
        }
    }
}

/// An endpoint of a stand-in; the raw value is how the control listener names it.
enum Endpoint: String, CaseIterable, Sendable {
    case yahooDiscovery = "yahoo.discovery"
    case yahooAuthorize = "yahoo.authorize"
    case yahooDecision = "yahoo.decision"
    case yahooToken = "yahoo.token"
    case yahooUserinfo = "yahoo.userinfo"
    case yahooCerts = "yahoo.certs"
    case yahooIntrospect = "yahoo.introspect"
    case yahooRevoke = "yahoo.revoke"

    case xRequestToken = "x.request_token"
    case xAuthenticate = "x.authenticate"
    case xAuthenticateDecision = "x.authenticate_decision"
    case xAuthorize = "x.authorize"
    case xAuthorizeDecision = "x.authorize_decision"
    case xAccessToken = "x.access_token"
    case xVerifyCredentials = "x.verify_credentials"
    case xInvalidateToken = "x.invalidate_token"
    case xOAuth2Authorize = "x.oauth2_authorize"
    case xOAuth2Decision = "x.oauth2_decision"
    case xOAuth2Token = "x.oauth2_token"
    case xOAuth2Revoke = "x.oauth2_revoke"
    case xUsersMe = "x.users_me"

    case googleToken = "google.token"
    case googleMetadataAccount = "google.metadata_account"
    case googleMetadataEmail = "google.metadata_email"
    case googleMetadataToken = "google.metadata_token"
    case googleMetadataProject = "google.metadata_project"
    case googleSignBlob = "google.sign_blob"
    case googleCreate = "google.create"
    case googleLookup = "google.lookup"
    case googleUpdate = "google.update"
    case googleDelete = "google.delete"
    case googleBatchDelete = "google.batch_delete"
    case googleBatchGet = "google.batch_get"
    case googleQuery = "google.query"
    case googleWipe = "google.wipe"
    case googleCustomSignIn = "google.client_custom_token"
    case googlePasswordSignIn = "google.client_password"
    case googleSignUp = "google.client_sign_up"
    case googleClientLookup = "google.client_lookup"
    case googleClientDelete = "google.client_delete"
    case googleRefresh = "google.refresh"
    case googleIDTokenCertificates = "google.id_token_certificates"
    case googleIDTokenKeys = "google.id_token_keys"
    case googleAccountCertificates = "google.account_certificates"
    case googleAccountKeys = "google.account_keys"
    case googleAppCheckKeys = "google.app_check_keys"
    case googleAppCheckBetaKeys = "google.app_check_beta_keys"
    case googleAppCheckVerify = "google.app_check_verify"

    /// Nil where the stand-in has nothing at that path.
    init?(path: String, of standIn: StandIn) {
        if standIn == .google {
            guard let path = GooglePath(path) else { return nil }
            self = path.endpoint
            return
        }
        guard let endpoint = Self.allCases.first(where: { $0.path == path && $0.standIn == standIn }) else {
            return nil
        }
        self = endpoint
    }

    var standIn: StandIn { rawValue.hasPrefix("yahoo.") ? .yahoo : rawValue.hasPrefix("x.") ? .x : .google }
}
