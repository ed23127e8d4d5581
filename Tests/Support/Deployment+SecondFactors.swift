internal import Flows
package import JOSE
package import Standards

@testable internal import SecondFactors

extension Deployment {
    /// Adds a second factor to the account of a uid, and confirms it 60 seconds ago.
    ///
    /// - Returns: The codes of its authenticator application.
    package func enroll(_ uid: UID) async throws -> Authenticator {
        clock.advance(by: .seconds(-60))
        let user = try await user(uid)
        let begun = try await flows.accounts.enroll(user, client: DeploymentPlan.app, named: "Phone")
        let authenticator = Authenticator(begun.id, secret: begun.secret.secretText, time: clock.source)
        let confirmed = try await flows.accounts.confirm(
            begun.id, of: user, client: DeploymentPlan.app, by: Secret(authenticator.code()))
        clock.advance(by: .seconds(60))
        return authenticator.keeping(confirmed.recoveryCodes)
    }
}

/// An authenticator application with one secret.
package struct Authenticator: Sendable {
    private let time: TimeSource
    package let id: String
    private let totp: TOTP
    package private(set) var recoveryCodes: [Secret] = []

    /// - Parameter secret: The secret in base32.
    package init(_ id: String, secret: String, time: TimeSource) {
        self.time = time
        self.id = id
        totp = TOTP(secret: Base32.decode(secret))
    }

    func keeping(_ codes: [Secret]) -> Self {
        var other = self
        other.recoveryCodes = codes
        return other
    }

    /// Returns the code of the current time step, or of one that is `steps` later.
    package func code(after steps: Int64 = 0) -> String {
        totp.code(in: time.now().seconds / TOTP.period + steps)
    }

    /// Returns six digits that are the code of none of the accepted time steps.
    package func wrongCode() -> String {
        let valid = Set((-1...1).map { code(after: $0) })
        return ["000000", "111111", "222222", "333333"].first { !valid.contains($0) } ?? ""
    }
}

extension Base32 {
    fileprivate static func decode(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for character in text.utf8 {
            buffer = buffer << 5 | (alphabet.firstIndex(of: character) ?? 0)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 255))
                buffer &= 1 << bits - 1
            }
        }
        return bytes
    }
}
