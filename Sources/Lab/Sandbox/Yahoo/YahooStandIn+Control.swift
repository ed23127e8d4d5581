import Jansson
import OpenSSL

extension YahooStandIn {
    /// The code grant's answer, and a code of its own that is still unused.
    func issue(_ command: IssueCommand.Yahoo) throws(ControlError) -> JSON {
        guard let registration = registration(of: command.application) else {
            throw .refused("There is no such application.")
        }
        let redirectURI = command.redirectURI ?? registration.redirectURIs.first ?? "oob"
        let grant = YahooGrant(
            clientID: registration.clientID, user: command.user,
            scopes: command.scope.split { $0 == " " || $0 == "," }.map(String.init), nonce: command.nonce,
            authTime: command.wantsAuthTime ? clock.now : nil)
        do throws(Refusal) {
            guard case .object(var members) = try tokens(for: grant, redirectURI: redirectURI) else {
                throw Self.error(500, "INTERNAL_ERROR", "")
            }
            members["code"] = .string(
                try issueCode(for: grant, redirectURI: redirectURI, codeChallenge: command.codeChallenge))
            members["redirect_uri"] = .string(redirectURI)
            return .object(members)
        } catch {
            throw .refused("The tokens could not be made.")
        }
    }
}

extension YahooStandIn {
    /// `{"token", "kid"}`: the parts as they were given, `alg` included, and the id of the key that is named for it.
    func sign(_ command: SigningCommand) throws(ControlError) -> JSON {
        do {
            return .object([
                "token": .string(
                    try IDTokenSigner(keys: keys).token(
                        header: command.header, payload: command.payload, command.signature)),
                "kid": .string(try keys.id(for: command.signature)),
            ])
        } catch {
            throw .refused("The token could not be signed.")
        }
    }

    /// Ids and public halves of the keys that ``sign(_:)`` uses, and the issuer that its tokens should name.
    func signingKeys() throws(ControlError) -> JSON {
        do {
            let rsa = try keys.rsa
            return .object([
                "issuer": .string(origin), "own_kid": .string(keys.currentID),
                "own_pem": .string(keys.currentPEM), "rsa_kid": .string(rsa.id), "rsa_pem": .string(rsa.publicPEM),
            ])
        } catch {
            throw .refused("No key could be made.")
        }
    }
}
