import Jansson

extension XStandIn {
    /// A token and its secret, with the members that `/oauth/access_token` gives.
    func issue(_ order: IssueOrder.XOAuth1) throws(ControlError) -> JSON {
        guard let registration = registration(of: order.application) else {
            throw .refused("There is no such application.")
        }
        do throws(Refusal) {
            let token = try issueOAuth1Token(for: order.user, consumerKey: registration.consumerKey)
            return .object([
                "oauth_token": .string(token.name), "oauth_token_secret": .string(token.secret),
                "user_id": .string(order.user.xID), "screen_name": .string(order.user.screenName),
            ])
        } catch {
            throw .refused("The token could not be made.")
        }
    }

    /// What `/2/oauth2/token` gives, and with a challenge a code of its own that is still unused.
    func issue(_ order: IssueOrder.XOAuth2) throws(ControlError) -> JSON {
        guard let registration = registration(of: order.application) else {
            throw .refused("There is no such application.")
        }
        let grant = XGrant(
            clientID: registration.clientID, user: order.user,
            scopes: order.scope.split(separator: " ").map(String.init))
        do throws(Refusal) {
            var members = try tokens(for: grant)
            if let challenge = order.codeChallenge {
                let redirectURI = order.redirectURI ?? registration.callbacks.first ?? ""
                members["code"] = .string(
                    try issueCode(
                        for: grant, redirectURI: redirectURI,
                        codeChallenge: XCodeChallenge(value: challenge, method: order.codeChallengeMethod)))
                members["redirect_uri"] = .string(redirectURI)
            }
            return .object(members)
        } catch {
            throw .refused("The tokens could not be made.")
        }
    }
}
