import Jansson

extension GoogleStandIn {
    /// Requires an access token of an account that may use this project.
    ///
    /// Below the emulator's paths the token `owner` is accepted too, because firebase-admin sends it there.
    ///
    /// - Throws: 401 if the token is absent, unknown or expired; 403 if it has none of the scopes or belongs to another
    ///   project.
    @discardableResult
    func authorize(
        _ request: IncomingRequest, _ path: GooglePath, scopes: Set<String>
    ) throws(Refusal) -> GoogleServiceAccount? {
        guard case .present(let text) = BearerToken(request) else {
            throw Self.unauthenticated("Request is missing required authentication credential.")
        }
        if path.layout == .emulator, text.lowercased() == "owner" { return nil }
        guard let token = accessTokens[exactly: text], token.expiresAt > clock.now,
            serviceAccounts[token.account.email] != nil
        else { throw Self.unauthenticated("Request had invalid authentication credentials.") }
        guard !token.scopes.isDisjoint(with: scopes) else {
            throw GoogleError.permissionDenied("Request had insufficient authentication scopes.")
        }
        guard path.projectID.isEmpty || token.account.projectID == path.projectID else {
            throw GoogleError.permissionDenied()
        }
        return token.account
    }

    /// Requires the project's API key in the query.
    ///
    /// Below the emulator's paths any key is accepted.
    func checkAPIKey(_ request: IncomingRequest, _ path: GooglePath) throws(Refusal) {
        let keys = request.queryParameters?.pairs.filter { $0.name == "key" } ?? []
        guard let key = keys.first?.value, keys.count == 1, !key.isEmpty else {
            throw GoogleError.permissionDenied("The request is missing a valid API key.")
        }
        guard path.layout == .emulator || key == apiKey else {
            throw GoogleError.invalidArgument("API key not valid. Please pass a valid API key.")
        }
    }

    /// Issues an opaque token with Google's usual prefix, valid for one hour.
    func issueAccessToken(
        to account: GoogleServiceAccount, scopes: Set<String>, lifetime: Int64 = 3600
    ) throws(Refusal) -> String {
        let now = clock.now
        if accessTokens.count > 10_000 { accessTokens = accessTokens.filter { $0.value.expiresAt > now } }
        let token = "ya29.c." + (try RandomText.make(120))
        accessTokens[token] = GoogleAccessToken(account: account, scopes: scopes, expiresAt: now + lifetime)
        return token
    }

    private static func unauthenticated(_ message: String) -> Refusal {
        GoogleError.api(
            401, "UNAUTHENTICATED", message,
            header: [("WWW-Authenticate", "Bearer realm=\"https://accounts.google.com/\"")])
    }
}

/// An OAuth 2.0 access token of a service account.
struct GoogleAccessToken: Sendable {
    let account: GoogleServiceAccount
    let scopes: Set<String>
    let expiresAt: Int64
}

/// The scopes that the stand-in knows (Google's list of OAuth 2.0 scopes).
enum GoogleScope {
    static let prefix = "https://www.googleapis.com/auth/"
    static let cloudPlatform = prefix + "cloud-platform"
    static let identityToolkit = prefix + "identitytoolkit"
    static let firebase = prefix + "firebase"
}

extension GoogleStandIn {
    /// The metadata server of a virtual machine with the default account.
    func metadata(_ request: IncomingRequest, at endpoint: Endpoint) throws(Refusal) -> Answer {
        guard request.fields("metadata-flavor").map({ $0.lowercased() }) == ["google"],
            request.fields("x-forwarded-for").isEmpty
        else { throw Refusal(.text("Missing required header \"Metadata-Flavor\": \"Google\"", status: 403)) }
        var answer: Answer
        switch endpoint {
        case .googleMetadataEmail: answer = .text(defaultAccount, status: 200)
        case .googleMetadataProject: answer = .text(projectID, status: 200)
        case .googleMetadataToken:
            guard let account = serviceAccounts[defaultAccount] else {
                throw Refusal(.text("No service account.", status: 404))
            }
            let asked = request.queryParameters?["scopes"] ?? GoogleScope.cloudPlatform
            let scopes = asked.split { $0 == "," || $0 == " " }.map(String.init)
            answer = .json(Self.tokenAnswer(try issueAccessToken(to: account, scopes: Set(scopes))))
        default:
            answer = .json(
                .object([
                    "aliases": .array([.string("default")]), "email": .string(defaultAccount),
                    "scopes": .array([.string(GoogleScope.cloudPlatform)]),
                ]))
        }
        answer.header += [("Metadata-Flavor", "Google"), ("Server", "Metadata Server for VM")]
        return answer
    }
}
