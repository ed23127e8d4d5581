import JOSE
import Jansson
import OpenSSL

extension GoogleStandIn {
    func assertion(
        _ text: String, audience: String
    ) throws(ServiceAccountAssertion.Defect) -> ServiceAccountAssertion {
        guard let jws = try? CompactJWS.parse(text), jws.header.algorithm.utf8.elementsEqual("RS256".utf8),
            jws.header.type.map({ $0.lowercased() == "jwt" }) ?? true,
            let payload = try? JSON.parse(jws.payload, maximumBytes: CompactJWS.maximumBytes)
        else { throw .malformed }
        guard let account = payload["iss"]?.string.flatMap({ serviceAccounts[exactly: $0] }) else {
            throw .unknownIssuer
        }
        guard isSigned(jws, by: account) else { throw .signature }
        guard let claimed = payload["aud"]?.string, claimed.utf8.elementsEqual(audience.utf8) else { throw .audience }
        let now = clock.now
        // RFC 7523 §3 leaves the limit to the server; Google's is an hour.
        guard let issued = payload["iat"]?.integer, let expiry = payload["exp"]?.integer, issued >= 0, expiry > now,
            issued <= now + Self.signedTimesMayBeAhead, expiry > issued, expiry - issued <= 3600
        else { throw .times }
        return ServiceAccountAssertion(account: account, payload: payload)
    }

    /// With the account's own key, or with one that Google manages for it; `kid` may say which.
    private func isSigned(_ jws: CompactJWS, by account: GoogleServiceAccount) -> Bool {
        let named = jws.header.keyID?.text
        if let key = account.publicKey, named == nil || account.keyID == nil || named == account.keyID,
            key.isValid(signature: jws.signature, for: jws.signingInput)
        {
            return true
        }
        return managedKeys[account.email]?.isValid(
            signature: jws.signature, for: jws.signingInput, keyID: named) ?? false
    }
}
