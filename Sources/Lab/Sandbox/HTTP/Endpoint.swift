enum StandIn: String, Sendable {
    case yahoo, x, google
    /// Every ``DocumentedProvider``.
    case providers

    var title: String {
        switch self {
        case .yahoo: "Yahoo"
        case .x: "X"
        case .google: "Google"
        case .providers: "other providers"
        }
    }
}

/// An endpoint of a stand-in.
///
/// The raw value is its name at the control listener.
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
    case googleSecret = "google.secret"
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
    case googleClientUpdate = "google.client_update"
    case googleClientDelete = "google.client_delete"
    case googleRefresh = "google.refresh"
    case googleIDTokenCertificates = "google.id_token_certificates"
    case googleIDTokenKeys = "google.id_token_keys"
    case googleAccountCertificates = "google.account_certificates"
    case googleAccountKeys = "google.account_keys"
    case googleAppCheckKeys = "google.app_check_keys"
    case googleAppCheckBetaKeys = "google.app_check_beta_keys"
    case googleAppCheckVerify = "google.app_check_verify"

    case providersDiscovery = "providers.discovery"
    case providersKeys = "providers.keys"
    case providersAuthorize = "providers.authorize"
    case providersDecision = "providers.decision"
    case providersToken = "providers.token"
    case providersUser = "providers.user"
    case providersEmails = "providers.emails"
    case providersIntrospect = "providers.introspect"
    case providersRevoke = "providers.revoke"

    /// Returns `nil` if the stand-in has no endpoint at this path.
    init?(path: String, of standIn: StandIn) {
        let endpoint =
            switch standIn {
            case .google: GooglePath(path)?.endpoint
            case .providers: DocumentedProvider.endpoint(at: path)?.endpoint
            case .yahoo, .x: Self.allCases.first { $0.path == path && $0.standIn == standIn }
            }
        guard let endpoint else { return nil }
        self = endpoint
    }

    var standIn: StandIn { rawValue.split(separator: ".").first.flatMap { StandIn(rawValue: String($0)) } ?? .google }
}

extension Endpoint {
    /// The path, in which `{name}` is a placeholder for a segment or for the beginning of one.
    ///
    /// Those of the other providers are in ``DocumentedProvider``.
    var path: String {
        switch self {
        case .yahooDiscovery: "/.well-known/openid-configuration"
        case .yahooAuthorize: "/oauth2/request_auth"
        case .yahooDecision: "/oauth2/request_auth/decision"
        case .yahooToken: "/oauth2/get_token"
        case .yahooUserinfo: "/openid/v1/userinfo"
        case .yahooCerts: "/openid/v1/certs"
        case .yahooIntrospect: "/oauth2/introspect"
        case .yahooRevoke: "/oauth2/revoke"
        case .xRequestToken: "/oauth/request_token"
        case .xAuthenticate: "/oauth/authenticate"
        case .xAuthenticateDecision: "/oauth/authenticate/decision"
        case .xAuthorize: "/oauth/authorize"
        case .xAuthorizeDecision: "/oauth/authorize/decision"
        case .xAccessToken: "/oauth/access_token"
        case .xVerifyCredentials: "/1.1/account/verify_credentials.json"
        case .xInvalidateToken: "/1.1/oauth/invalidate_token.json"
        case .xOAuth2Authorize: "/i/oauth2/authorize"
        case .xOAuth2Decision: "/i/oauth2/authorize/decision"
        case .xOAuth2Token: "/2/oauth2/token"
        case .xOAuth2Revoke: "/2/oauth2/revoke"
        case .xUsersMe: "/2/users/me"
        case .googleToken: "/token"
        case .googleMetadataAccount: "/computeMetadata/v1/instance/service-accounts/default/"
        case .googleMetadataEmail: "/computeMetadata/v1/instance/service-accounts/default/email"
        case .googleMetadataToken: "/computeMetadata/v1/instance/service-accounts/default/token"
        case .googleMetadataProject: "/computeMetadata/v1/project/project-id"
        case .googleSignBlob: "/v1/projects/-/serviceAccounts/{email}:signBlob"
        case .googleSecret: "/v1/projects/{project}/secrets/{secret}/versions/{version}:access"
        case .googleCreate: "/v1/projects/{project}/accounts"
        case .googleLookup: "/v1/projects/{project}/accounts:lookup"
        case .googleUpdate: "/v1/projects/{project}/accounts:update"
        case .googleDelete: "/v1/projects/{project}/accounts:delete"
        case .googleBatchDelete: "/v1/projects/{project}/accounts:batchDelete"
        case .googleBatchGet: "/v1/projects/{project}/accounts:batchGet"
        case .googleQuery: "/v1/projects/{project}/accounts:query"
        case .googleWipe: "/emulator/v1/projects/{project}/accounts"
        case .googleCustomSignIn: "/v1/accounts:signInWithCustomToken"
        case .googlePasswordSignIn: "/v1/accounts:signInWithPassword"
        case .googleSignUp: "/v1/accounts:signUp"
        case .googleClientLookup: "/v1/accounts:lookup"
        case .googleClientUpdate: "/v1/accounts:update"
        case .googleClientDelete: "/v1/accounts:delete"
        case .googleRefresh: "/v1/token"
        case .googleIDTokenCertificates: "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
        case .googleIDTokenKeys: "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        case .googleAccountCertificates: "/robot/v1/metadata/x509/{email}"
        case .googleAccountKeys: "/service_accounts/v1/jwk/{email}"
        case .googleAppCheckKeys: "/v1/jwks"
        case .googleAppCheckBetaKeys: "/v1beta/jwks"
        case .googleAppCheckVerify: "/v1beta/projects/{project}:verifyAppCheckToken"
        case .providersDiscovery, .providersKeys, .providersAuthorize, .providersDecision, .providersToken,
            .providersUser, .providersEmails, .providersIntrospect, .providersRevoke:
            "/{provider}"
        }
    }
}

extension Endpoint {
    var methods: [String] {
        switch self {
        case .yahooDiscovery, .yahooCerts, .xAuthenticate, .xAuthorize, .xVerifyCredentials, .xOAuth2Authorize,
            .xUsersMe, .googleMetadataAccount, .googleMetadataEmail, .googleMetadataToken, .googleMetadataProject,
            .googleSecret, .googleBatchGet, .googleIDTokenCertificates, .googleIDTokenKeys, .googleAccountCertificates,
            .googleAccountKeys, .googleAppCheckKeys, .googleAppCheckBetaKeys, .providersDiscovery, .providersKeys,
            .providersAuthorize, .providersUser, .providersEmails:
            ["GET"]
        case .yahooAuthorize, .yahooUserinfo, .providersIntrospect: ["GET", "POST"]
        case .yahooDecision, .yahooToken, .yahooIntrospect, .yahooRevoke, .xRequestToken, .xAuthenticateDecision,
            .xAuthorizeDecision, .xAccessToken, .xInvalidateToken, .xOAuth2Decision, .xOAuth2Token, .xOAuth2Revoke,
            .googleToken, .googleSignBlob, .googleCreate, .googleLookup, .googleUpdate, .googleDelete,
            .googleBatchDelete, .googleQuery, .googleCustomSignIn, .googlePasswordSignIn, .googleSignUp,
            .googleClientLookup, .googleClientUpdate, .googleClientDelete, .googleRefresh, .googleAppCheckVerify,
            .providersDecision, .providersToken, .providersRevoke:
            ["POST"]
        case .googleWipe: ["DELETE"]
        }
    }

    /// Whether the Firebase emulator has this endpoint too, below the name of Google's host.
    var isOfIdentityToolkit: Bool {
        path.hasPrefix("/v1/projects/{project}/accounts") || path.hasPrefix("/v1/accounts:") || self == .googleRefresh
    }
}

/// Patterns of paths, in which `{name}` is a placeholder for a segment or for the beginning of one.
enum PathPattern {
    /// The value of each `{name}` in the template; `nil` if the path does not match it.
    static func match(_ segments: [String], _ template: String) -> [String: String]? {
        let patterns = template.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard patterns.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (pattern, segment) in zip(patterns, segments) {
            guard pattern.hasPrefix("{"), let end = pattern.firstIndex(of: "}") else {
                guard segment.utf8.elementsEqual(pattern.utf8) else { return nil }
                continue
            }
            let suffix = pattern[pattern.index(after: end)...]
            let value = segment.dropLast(suffix.count)
            guard segment.hasSuffix(suffix), !value.isEmpty else { return nil }
            values[String(pattern[..<end].dropFirst())] = String(value)
        }
        return values
    }
}
