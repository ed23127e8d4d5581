import Jansson

extension XStandIn {
    /// A token and its secret, with the members that `/oauth/access_token` gives.
    func issue(_ command: IssueCommand.XOAuth1) throws(ControlError) -> JSON {
        guard let registration = registration(of: command.application) else {
            throw .refused("There is no such application.")
        }
        do throws(Refusal) {
            let token = try issueOAuth1Token(for: command.user, consumerKey: registration.consumerKey)
            return .object([
                "oauth_token": .string(token.name), "oauth_token_secret": .string(token.secret),
                "user_id": .string(command.user.xID), "screen_name": .string(command.user.screenName),
            ])
        } catch {
            throw .refused("The token could not be made.")
        }
    }

    /// What `/2/oauth2/token` gives, and with a challenge a code of its own that is still unused.
    func issue(_ command: IssueCommand.XOAuth2) throws(ControlError) -> JSON {
        guard let registration = registration(of: command.application) else {
            throw .refused("There is no such application.")
        }
        let grant = XGrant(
            clientID: registration.clientID, user: command.user,
            scopes: command.scope.split(separator: " ").map(String.init))
        do throws(Refusal) {
            var members = try tokens(for: grant)
            if let challenge = command.codeChallenge {
                let redirectURI = command.redirectURI ?? registration.callbacks.first ?? ""
                members["code"] = .string(
                    try issueCode(
                        for: grant, redirectURI: redirectURI,
                        codeChallenge: XCodeChallenge(value: challenge, method: command.codeChallengeMethod)))
                members["redirect_uri"] = .string(redirectURI)
            }
            return .object(members)
        } catch {
            throw .refused("The tokens could not be made.")
        }
    }
}
