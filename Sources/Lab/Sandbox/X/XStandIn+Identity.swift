import Jansson

extension XStandIn {
    /// `/1.1/account/verify_credentials.json`.
    func verifyCredentials(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (oauth, user) = try verifiedUser(request, at: .xVerifyCredentials)
        var members: [String: JSON] = [
            "id": .integer(Int64(user.xID) ?? 0), "id_str": .string(user.xID), "name": .string(user.name),
            "screen_name": .string(user.screenName), "protected": .bool(false), "verified": .bool(false),
            "profile_image_url_https": .string(Self.picture(of: user)),
        ]
        if !["true", "t", "1"].contains(oauth.parameters["skip_status"]) {
            members["status"] = .object(["id_str": .string("1"), "text": .string("Hello")])
        }
        if oauth.parameters["include_entities"] != "false" {
            members["entities"] = .object(["description": .object(["urls": .array([])])])
        }
        // X accepts only the string "true".
        if oauth.parameters["include_email"] == "true" {
            members["email"] = .init(user.isEmailVerified ? user.email : nil)
        }
        return .json(.object(members))
    }

    /// `/1.1/oauth/invalidate_token.json`: it ends the token that signed the request.
    func invalidateToken(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (oauth, _) = try verifiedUser(request, at: .xInvalidateToken)
        guard let name = oauth.token else { throw Self.couldNotAuthenticate }
        oauth1Tokens[name] = nil
        return .json(.object(["access_token": .string(name)]))
    }

    /// `/2/users/me` with a bearer token of any application or an OAuth 1.0a signature.
    func usersMe(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let user: SandboxUser
        let givesEmail: Bool
        let wanted: String
        if request.fields("authorization").first?.lowercased().hasPrefix("oauth ") == true {
            let verified = try verifiedUser(request, at: .xUsersMe)
            user = verified.user
            givesEmail = false
            wanted = verified.oauth.parameters["user.fields"] ?? ""
        } else {
            guard case .present(let text) = BearerToken(request), let token = accessTokens[exactly: text],
                token.expiresAt > clock.now
            else { throw Self.problem(401, "Unauthorized", "Unauthorized") }
            guard token.grant.scopes.contains("users.read"), token.grant.scopes.contains("tweet.read") else {
                throw Self.problem(403, "Forbidden", "Forbidden")
            }
            user = token.grant.user
            givesEmail = token.grant.scopes.contains("users.email")
            wanted = request.queryParameters?["user.fields"] ?? ""
        }
        var all: [String: JSON] = [
            "id": .string(user.xID), "name": .string(user.name), "username": .string(user.screenName),
            "profile_image_url": .string(Self.picture(of: user)), "protected": .bool(false), "verified": .bool(false),
        ]
        // X returns only a confirmed address; otherwise the member is absent.
        if givesEmail, user.isEmailVerified { all["confirmed_email"] = user.email.map { .string($0) } }
        let fields = Set(wanted.split(separator: ",").map(String.init))
        guard fields.isSubset(of: Self.userFields) else {
            throw Self.problem(400, "Invalid Request", "One or more parameters to your request was invalid.")
        }
        let given = fields.union(["id", "name", "username"])
        return .json(.object(["data": .object(all.filter { given.contains($0.key) })]))
    }

    private static let userFields: Set<String> = [
        "id", "name", "username", "profile_image_url", "protected", "verified", "confirmed_email",
    ]

    private static func picture(of user: SandboxUser) -> String {
        "https://pbs.twimg.com/profile_images/\(user.xID)/sandbox_normal.png"
    }

    /// An error in the form of API v2.
    private static func problem(_ status: Int, _ title: String, _ detail: String) -> Refusal {
        Refusal(
            .json(
                .object([
                    "title": .string(title), "detail": .string(detail), "status": .integer(Int64(status)),
                    "type": .string(status == 400 ? "https://api.x.com/2/problems/invalid-request" : "about:blank"),
                ]), status: status))
    }
}
