import Jansson
import OpenSSL

@testable import JOSE

/// A key set, as a JWK set or as Google's certificates.
enum JWKSTarget {
    static func check(_ input: [UInt8]) {
        if let set = try? JWKSet.parse(input) {
            let entries = demanded(
                try? JSON.parse(tolerantly: input.withoutByteOrderMark, maximumBytes: JWKSet.maximumBytes)["keys"]?
                    .array,
                "a set is JSON with keys")
            check(set, count: entries.count)
            for (position, entry) in entries.enumerated()
            where !set.refused.contains(where: { $0.position == position }) {
                demand(["d", "p", "q", "k"].allSatisfy { entry[$0] == nil }, "a usable key has no private member")
                let use = entry["use"].map { $0.string?.lowercased() } ?? ""
                demand(["", "sig"].contains(use), "a usable key is for signatures")
            }
        }
        if let set = try? JWKSet.parse(certificates: input) {
            let entries = try? JSON.parse(input, maximumBytes: JWKSet.maximumBytes).object
            check(set, count: demanded(entries, "certificates stand in an object").count)
            demand(set.keys.allSatisfy { $0.algorithms == [.rs256] }, "certificates are for RS256")
        }
    }

    private static func check(_ set: JWKSet, count: Int) {
        demand(count <= JWKSet.maximumCount, "a set has a limited number of keys")
        demand(set.keys.count + set.refused.count <= count, "no entry is both used and refused")
        for key in set.keys {
            if case .rsa(let key) = key.material {
                demand((2048...4096).contains(key.bitCount), "a key is neither short nor long")
                demand(key.exponent.last.map { $0 & 1 } == 1 && key.exponent != [1], "an exponent is odd")
            }
            demand(!key.algorithms.isEmpty, "a key has an algorithm")
            for algorithm in Algorithm.allCases {
                // The point at infinity is a public key of Ed25519 for which zeros verify; its publisher is the issuer.
                let zeros = [UInt8](repeating: 0, count: algorithm == .es512 ? 132 : algorithm == .es384 ? 96 : 64)
                demand(
                    algorithm == .edDSA || !key.isValid(signature: zeros, for: [1], algorithm),
                    "zeros are not a signature")
                demand(!key.isValid(signature: [], for: [1], algorithm), "no octets are not a signature")
            }
        }
    }
}
