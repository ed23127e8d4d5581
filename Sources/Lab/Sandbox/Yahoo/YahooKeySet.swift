import JOSE
import Jansson
import OpenSSL

/// The keys of `/openid/v1/certs`.
struct YahooKeySet {
    private(set) var current: P256PrivateKey
    /// A key that is not in the key set.
    ///
    /// It signs with the id of the current key.
    let foreign: P256PrivateKey
    private var older: [ECPublicKey] = []

    init() throws(OpenSSLError) {
        current = try P256PrivateKey.generate()
        foreign = try P256PrivateKey.generate()
    }

    /// The key id: 40 hexadecimal digits, like Yahoo's.
    var currentID: String { Self.id(of: current.publicKey) }

    var currentPEM: String { PublicKeyPEM.text(x: current.publicKey.x, y: current.publicKey.y) }

    /// The RSA key, which a rotation does not replace.
    var rsa: StandInRSAKey { get throws(OpenSSLError) { try StandInRSAKey.yahoo.get() } }

    /// The `kid` for a signature of this kind.
    func id(for kind: IDTokenDefect.Signature) throws(OpenSSLError) -> String {
        kind == .rsa ? try rsa.id : currentID
    }

    mutating func rotate(keepingOld: Bool) throws(OpenSSLError) {
        let next = try P256PrivateKey.generate()
        older = keepingOld ? older + [current.publicKey] : []
        current = next
    }

    /// The key set: three RSA keys that are too short, one good RSA key, then the P-256 keys.
    func json() throws(OpenSSLError) -> JSON {
        let own = try rsa
        let rsa = [
            StandInRSAKey.json("01640f903a24e1c1f097ebda2d09b196c9de3ed9", modulus: Self.moduli.0),
            StandInRSAKey.json("6ff94cdad11e7c3ac08dc9ec3c44844b87e364f7", modulus: Self.moduli.1),
            StandInRSAKey.json("0", modulus: Self.moduli.0), own.json,
        ]
        let ec = (older + [current.publicKey]).map { key -> JSON in
            .object([
                "kty": .string("EC"), "crv": .string("P-256"), "alg": .string("ES256"),
                "kid": .string(Self.id(of: key)), "x": .string(Base64URL.encode(key.x)),
                "y": .string(Base64URL.encode(key.y)),
            ])
        }
        return .object(["keys": .array(rsa + ec)])
    }

    private static func id(of key: ECPublicKey) -> String {
        Hexadecimal.encode(SHA1.hash(key.x + key.y))
    }

    /// Moduli of 1024 bits in 129 octets, with the leading zero that RFC 7518 §6.3.1.1 forbids.
    ///
    /// The private keys are unknown.
    private static let moduli = (
        "AO6yatrSyGfg7ZZwqJ6RKzM2AJ8-LuCu2I-2lw-A_ANdOVHkIyfrY6kWgqL_078Lq7UecTNKbxSjtFvSqyT25g"
            + "CilluPX7jPodW1F_WDcqWaNhvSDArhqeFzQu-N-swLiLgiAZZhDonW4lAqW1xoZSZVUoheJKRhrCI62OQ1BQFr",
        "AMDGA34cgcJnXF7ZIJevGW76_-oquLh4mBfT43oBAzewmIKBmevQybKj3-DRX3zHz3JAF5tgxZPHgKRnYqnoAX"
            + "e73S4p98hJD0L-unO6oR0tc-XXFE_yYKgdtYOH1GlE-ZAVO6NIIcNgm6VBWLhlRlzm_U2KqinPjC4q9M0_6B7_"
    )
}
