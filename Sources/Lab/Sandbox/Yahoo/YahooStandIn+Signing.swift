import Jansson
import OpenSSL

extension YahooStandIn {
    /// `{"token", "kid"}`: the parts as they were given, `alg` included, and the id of the key that is named for it.
    func sign(_ order: SigningOrder) throws(ControlError) -> JSON {
        do {
            return .object([
                "token": .string(
                    try IDTokenSigner(keys: keys).token(
                        header: order.header, payload: order.payload, order.signature)),
                "kid": .string(try keys.id(for: order.signature)),
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
