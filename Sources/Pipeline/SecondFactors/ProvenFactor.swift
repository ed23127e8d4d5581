internal import Accounts
internal import Firebase
package import JOSE
internal import Jansson
internal import Standards
internal import Stores

/// A second factor that the person of an account has proven.
///
/// Only this target makes one: the memberwise initializer is internal.
package struct ProvenFactor: Sendable, Equatable {
    /// The kind of a code, with its name in claims and in JSON.
    package enum Kind: String, Sendable, CaseIterable {
        case totp
        case recoveryCode = "recovery_code"
    }

    let holder: FactorHolder
    package let kind: Kind
    /// The time of the proof.
    package let at: NumericDate
    /// The code, which may be given back; `nil` for a proof of an earlier request.
    let use: FactorUse?
}

/// The claims of a custom token about the second factor.
package enum FactorClaims {
    package static let kind = "second_factor"
    package static let time = "second_factor_time"
}

extension ProvenFactor {
    /// Reads the proof from the claims of a caller's Firebase ID token.
    ///
    /// Returns `nil` if the token has no proof, or an older one than `limit` permits.
    ///
    /// - Parameters:
    ///   - holder: The account of the caller.
    ///   - limit: The maximum age of the proof.
    init?(of caller: Caller, as holder: FactorHolder, at now: NumericDate, within limit: Duration) {
        guard let kind = caller.user.claims[FactorClaims.kind]?.string.flatMap(Kind.init),
            let seconds = caller.user.claims[FactorClaims.time]?.integer
        else { return nil }
        let time = NumericDate(seconds)
        guard now <= time + limit else { return nil }
        self.init(holder: holder, kind: kind, at: time, use: nil)
    }

    /// The content that the store keeps, sealed.
    var json: JSON {
        .object([
            "uid": .string(holder.uid.text), "tenant": .string(holder.tenant), "kind": .string(kind.rawValue),
            "at": .integer(at.seconds),
        ])
    }

    init?(_ content: JSON) {
        guard let uid = content["uid"]?.string.flatMap({ UID($0) }), let tenant = content["tenant"]?.string,
            let kind = content["kind"]?.string.flatMap(Kind.init), let seconds = content["at"]?.integer
        else { return nil }
        self.init(holder: FactorHolder(uid: uid, tenant: tenant), kind: kind, at: NumericDate(seconds), use: nil)
    }
}
