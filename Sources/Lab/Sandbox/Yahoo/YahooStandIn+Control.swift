import Jansson
import OpenSSL

extension YahooStandIn {
    /// Issues the tokens of a code grant, and another code that is still unused.
    func issue(_ command: IssueCommand.Yahoo) throws(ControlError) -> JSON {
        guard let registration = registration(of: command.application) else {
            throw .refused("The application does not exist.")
        }
        let redirectURI = command.redirectURI ?? registration.redirectURIs.first ?? "oob"
        let grant = YahooGrant(
            clientID: registration.clientID, user: command.user,
            scopes: command.scope.split { $0 == " " || $0 == "," }.map(String.init), nonce: command.nonce,
            authTime: command.wantsAuthTime ? clock.now : nil)
        do throws(Refusal) {
            guard case .object(var members) = try tokens(for: grant, redirectURI: redirectURI) else {
                throw Refusal(500, "INTERNAL_ERROR", "")
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
    /// Signs the given parts as they are, including `alg`.
    ///
    /// Returns `{"token", "kid"}` with the id of the signing key.
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

    /// The ids and public keys that ``sign(_:)`` uses, and the issuer for its tokens.
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
