internal import Jansson
internal import OpenSSL

/// Key sets of the provider with keys that must not be used for verification.
enum KeyForms {
    static let attacks: [Attack] = [
        Attack(
            "JW-06a", .keySets, .high,
            "The provider's key set contains two keys with the same id, and a third key signs under that id.",
            oracle: "The server accepts the signatures of the two, and of no other key.",
            source: "Wycheproof json_web_key DuplicateKid", needs: [.standIns, .processes]
        ) { context in
            let (one, other, foreign) = (try OwnKey.p256("k"), try OwnKey.p256("k"), try OwnKey.p256("k"))
            try await context.withKeyRoom(keys: [one.jwk(), other.jwk()]) { room in
                try await room.fire(key: foreign, expecting: .refused("signature_invalid"))
                try await room.expectAccepted(key: one)
                try await room.expectAccepted(key: other)
            }
        },
        unusable("JW-06b", "a key with its private part (`d`)", "RFC 7517 9.2") { [$0.jwk(["d": "AQAB"])] },
        Attack(
            "JW-06c", .keySets, .critical,
            "The provider's key set contains a key of type `oct` with the id of another key, and a token is signed with it.",
            oracle: "The server does not use it; it still uses the other key.", source: "Wycheproof MixedKeySet",
            needs: [.standIns, .processes]
        ) { context in
            let key = try OwnKey.p256("k")
            let oct: JSON = ["kty": "oct", "kid": "k", "alg": "HS256", "k": "c2VjcmV0"]
            try await context.withKeyRoom(keys: [oct, key.jwk()]) { room in
                for algorithm in ["HS256", "ES256"] {
                    try await room.fire(key: key, expecting: .refused("algorithm_not_allowed", "signature_invalid")) {
                        $0.header["alg"] = .text(algorithm)
                        $0.key = .custom { HMACSHA256.authenticationCode(for: $0, key: Array("secret".utf8)) }
                    }
                }
                try await room.expectAccepted(key: key)
            }
        },
        unusable("JW-06d", "a key that contains a secret (`k`)", "Wycheproof json_web_key 1, 4") {
            [$0.jwk(["k": "c2VjcmV0"])]
        },
        unusable("IDT-08c", "an EC key whose `alg` is RS256", "RFC 7517 4.4") { [$0.jwk(["alg": "RS256"])] },
        unusable("IDT-08d", "a key whose `use` is `enc`", "RFC 7517 4.2") { [$0.jwk(["use": "enc"])] },
        unusable("IDT-08e", "a key whose `key_ops` is `encrypt`", "RFC 7517 4.3") {
            [$0.jwk(["key_ops": ["encrypt"]])]
        },
        unusable("JW-17a", "a key whose point is not on the curve", "SP 800-186 D.1.1") {
            [$0.jwk(["y": $0.members["x"] ?? ""])]
        },
        unusable("JW-17b", "a key whose point is (0, 0)", "CVE-2022-21449") {
            let zero = JSON.string(Base64.urlEncode([UInt8](repeating: 0, count: 32)))
            return [$0.jwk(["x": zero, "y": zero])]
        },
        unusable("JW-17c", "a key with a coordinate that is one octet too long", "RFC 7518 6.2.1.2") {
            [$0.jwk(["x": .string("AA" + ($0.members["x"]?.string ?? ""))])]
        },
        unusable("JW-17d", "a key whose `crv` names another curve", "RFC 7518 6.2.1.1") { [$0.jwk(["crv": "P-384"])] },
        unusable("JW-17e", "a key whose id is a number", "RFC 7517 4.5") { [$0.jwk(["kid": 1])] },
        Attack(
            "JW-06e", .keySets, .critical,
            "The provider's key set contains a symmetric key, and a token is signed with it and HS256.",
            oracle: "The server never accepts HS256, regardless of the key set.",
            source: "Wycheproof json_web_key 1; CVE-2016-10555",
            needs: [.standIns, .processes]
        ) { context in
            let good = try OwnKey.p256("good")
            let oct: JSON = ["kty": "oct", "kid": "k", "alg": "HS256", "use": "sig", "k": "c2VjcmV0"]
            try await context.withKeyRoom(keys: [oct, good.jwk()]) { room in
                try await room.fire(key: good, expecting: .refused("algorithm_not_allowed")) { draft in
                    draft.header["alg"] = "HS256"
                    draft.header["kid"] = "k"
                    draft.key = .custom { HMACSHA256.authenticationCode(for: $0, key: Array("secret".utf8)) }
                }
                try await room.expectAccepted(key: good)
            }
        },
        Attack(
            "JW-16", .keySets, .critical,
            "The provider's key set contains an RSA key with the exponent 1, whose signatures can be forged.",
            oracle: "The server does not use the key.", source: "RFC 8017 3.1; Wycheproof rsa_signature",
            needs: [.standIns, .processes]
        ) { context in
            let good = try OwnKey.rsa("good")
            let one = good.jwk(["kid": "one", "e": "AQ"])
            try await context.withKeyRoom(keys: [one, good.jwk()]) { room in
                try await room.fire(key: good, expecting: .refused("unknown_key")) { draft in
                    draft.header["kid"] = "one"
                    draft.key = .custom { EncodedMessage.sha256($0, count: 256) }
                }
                try await room.expectAccepted(key: good)
            }
        },
        Attack(
            "JW-15", .keySets, .critical,
            "A token of one issuer is posted that is signed with the key of another issuer and contains its key id.",
            oracle: "The server uses only the keys of the token's issuer.", source: "RFC 8725 3.8",
            needs: [.standIns, .processes]
        ) { context in
            let (mine, other) = (try OwnKey.p256("mine"), try OwnKey.p256("other"))
            // This server also has Firebase's keys.
            let token = try await context.standIns.google("POST", "/id-token", ["uid": "u"])
            let text = token["id_token"]?.string ?? token["token"]?.string ?? ""
            let header = Base64.urlDecode(text.components(".").first ?? "") ?? []
            let keyID = (try? JSON.parse(header))?["kid"]?.string ?? ""
            try await context.withKeyRoom(keys: [mine.jwk()]) { room in
                try await room.fire(key: other, expecting: .refused("unknown_key"))
                try await room.fire(key: mine, expecting: .refused("unknown_key")) { $0.header["kid"] = .text(keyID) }
                try await room.expectAccepted(key: mine)
            }
        },
    ]

    /// - `keys`: Returns the key set for the key with the id `k`, which signs.
    private static func unusable(
        _ id: String, _ what: String, _ source: String, _ keys: @escaping @Sendable (OwnKey) throws -> [JSON]
    ) -> Attack {
        Attack(
            id, id.hasPrefix("IDT") ? .idToken : .keySets, .high,
            "The provider's key set contains \(what), and that key signs.",
            oracle: "The server does not use such a key; it still uses the others.", source: source,
            needs: [.standIns, .processes]
        ) { context in
            let (key, good) = (try OwnKey.p256("k"), try OwnKey.p256("good"))
            try await context.withKeyRoom(keys: try keys(key) + [good.jwk()]) { room in
                try await room.fire(key: key, expecting: .refused("unknown_key"))
                try await room.expectAccepted(key: good)
            }
        }
    }
}

/// EMSA-PKCS1-v1_5 (RFC 8017 §9.2): with the exponent 1, the encoded message is a valid signature.
enum EncodedMessage {
    static func sha256(_ message: [UInt8], count: Int) -> [UInt8] {
        let algorithm: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
            0x20,
        ]
        let digest = algorithm + SHA256.hash(message)
        return [0x00, 0x01] + [UInt8](repeating: 0xFF, count: count - digest.count - 3) + [0x00] + digest
    }
}
