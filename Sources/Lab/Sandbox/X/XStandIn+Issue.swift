import Jansson

extension XStandIn {
    /// Issues a token and its secret, with the members of `/oauth/access_token`.
    func issue(_ command: IssueCommand.XOAuth1) throws(ControlError) -> JSON {
        guard let registration = registration(of: command.application) else {
            throw .refused("The application does not exist.")
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

    /// Issues the members of `/2/oauth2/token`, and with a challenge another code that is still unused.
    func issue(_ command: IssueCommand.XOAuth2) throws(ControlError) -> JSON {
        guard let registration = registration(of: command.application) else {
            throw .refused("The application does not exist.")
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
