import JOSE

/// A token in compact serialization, and keys that only ``FixedIssuer`` signs with.
enum JWSTarget {
    private static let signingInputs = Set(
        FixedIssuer.tokens.map { Array($0.utf8.prefix(upTo: $0.utf8.lastIndex(of: octet(".")) ?? $0.endIndex)) })

    static func check(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        let jws = try? CompactJWS.parse(text)
        if let jws { check(jws, of: text) }
        if let unsecured = try? UnsecuredJWS.parse(text) {
            demand(jws == nil, "a token is either signed or unsecured")
            demand(input == unsecured.signingInput + [octet(".")], "an unsecured token ends with a dot")
        }
    }

    private static func check(_ jws: CompactJWS, of text: String) {
        demand(
            areSame(text, String(decoding: jws.signingInput, as: UTF8.self) + "." + Base64URL.encode(jws.signature)),
            "a token has one spelling")
        demand(!jws.signature.isEmpty, "a token has a signature")
        demand(text.utf8.count <= CompactJWS.maximumBytes, "a token above the limit is refused")
        _ = try? UnverifiedClaims(of: jws)
        let isGenuine = signingInputs.contains(jws.signingInput)
        for algorithms: Set<Algorithm> in [[.rs256, .es256], [.rs256], [.es256]] {
            guard (try? JWSVerifier.verifiedPayload(of: jws, keys: FixedIssuer.keys, algorithms: algorithms)) != nil
            else { continue }
            demand(isGenuine, "only tokens that the issuer signed are verified")
            demand(algorithms.contains { areSame($0.rawValue, jws.header.algorithm) }, "the algorithm was allowed")
            // RSASSA-PKCS1-v1_5 has one signature for a message; ECDSA has many.
            if jws.header.algorithm == "RS256" {
                demand(FixedIssuer.tokens.contains { areSame($0, text) }, "no bit of the signature may change")
            }
        }
    }
}
