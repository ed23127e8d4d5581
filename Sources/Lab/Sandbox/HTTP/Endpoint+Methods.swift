extension Endpoint {
    var methods: [String] {
        switch self {
        case .yahooDiscovery, .yahooCerts, .xAuthenticate, .xAuthorize, .xVerifyCredentials, .xOAuth2Authorize,
            .xUsersMe, .googleMetadataAccount, .googleMetadataEmail, .googleMetadataToken, .googleMetadataProject,
            .googleBatchGet, .googleIDTokenCertificates, .googleIDTokenKeys, .googleAccountCertificates,
            .googleAccountKeys, .googleAppCheckKeys, .googleAppCheckBetaKeys:
            ["GET"]
        case .yahooAuthorize, .yahooUserinfo: ["GET", "POST"]
        case .yahooDecision, .yahooToken, .yahooIntrospect, .yahooRevoke, .xRequestToken, .xAuthenticateDecision,
            .xAuthorizeDecision, .xAccessToken, .xInvalidateToken, .xOAuth2Decision, .xOAuth2Token, .xOAuth2Revoke,
            .googleToken, .googleSignBlob, .googleCreate, .googleLookup, .googleUpdate, .googleDelete,
            .googleBatchDelete, .googleQuery, .googleCustomSignIn, .googlePasswordSignIn, .googleSignUp,
            .googleClientLookup, .googleClientDelete, .googleRefresh, .googleAppCheckVerify:
            ["POST"]
        case .googleWipe: ["DELETE"]
        }
    }

    /// Whether the Firebase emulator has it too, below the name of Google's host.
    var isOfIdentityToolkit: Bool {
        path.hasPrefix("/v1/projects/{project}/accounts") || path.hasPrefix("/v1/accounts:") || self == .googleRefresh
    }
}
