public import Foundation

/// The second factors of an account.
public struct SecondFactors: Sendable, Equatable {
    /// An authenticator application (RFC 6238).
    public struct Factor: Sendable, Equatable, Identifiable {
        /// The id of the factor.
        public let id: String
        /// The name that the user has given it.
        public let name: String?
        /// The time when it was added.
        public let createdAt: Date?
        /// The time of its last use.
        public let lastUsedAt: Date?
    }

    /// The confirmed factors.
    public let factors: [Factor]
    /// The number of recovery codes that were not used.
    public let recoveryCodesLeft: Int

    init(_ answer: FactorsAnswer) {
        factors = answer.factors.map { factor in
            Factor(
                id: factor.factorId, name: factor.name,
                createdAt: factor.createdAt.map(Date.init(timeIntervalSince1970:)),
                lastUsedAt: factor.lastUsedAt.map(Date.init(timeIntervalSince1970:)))
        }
        recoveryCodesLeft = answer.recoveryCodesLeft ?? 0
    }
}

/// A second factor that has not been confirmed by its first code.
public struct FactorEnrollment: Sendable, Identifiable {
    private let hidden: Hidden<(secret: String, uri: URL)>

    /// The id of the factor.
    public let id: String
    /// The secret in Base32, for a user who types it.
    public var secret: String { hidden.value.secret }
    /// The `otpauth` URI, for a QR code, or to open an authenticator application on this device.
    public var uri: URL { hidden.value.uri }
    /// The number of seconds in which it can be confirmed.
    public let expiresIn: TimeInterval

    init(_ answer: EnrollmentAnswer) throws(TokenExchangeError) {
        guard let uri = URL(string: answer.otpauthUri) else {
            throw .unexpectedResponse("The otpauth_uri of the response is not a URL.")
        }
        id = answer.factorId
        hidden = Hidden((answer.secret, uri))
        expiresIn = answer.expiresIn ?? 0
    }
}

/// A code of a second factor, which the user types.
public struct FactorCode: Sendable {
    /// A kind of codes, with the name of the HTTP interface.
    public enum Kind: String, Sendable {
        /// The current code of an authenticator application.
        case totp
        /// One of the recovery codes of the account.
        case recoveryCode = "recovery_code"
    }

    let kind: Kind
    private let hidden: Hidden<String>

    var text: String { hidden.value }

    /// The current code of an authenticator application.
    public static func totp(_ code: String) -> FactorCode { FactorCode(kind: .totp, hidden: Hidden(code)) }

    /// One of the recovery codes of the account.
    public static func recoveryCode(_ code: String) -> FactorCode {
        FactorCode(kind: .recoveryCode, hidden: Hidden(code))
    }
}
