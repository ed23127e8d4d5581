import JOSE
import Stores

let now = NumericDate(1_700_000_000)
let later = now + .seconds(600)

extension SpentRecord {
    /// Good for ten minutes.
    static func baseline(_ text: String, _ kind: SpentKind = .authorizationCode) -> SpentRecord {
        SpentRecord(kind, of: [Array(text.utf8)], issuedAt: nil, expiresAt: later)
    }
}

extension ExternalIdentity {
    static let baseline = ExternalIdentity(provider: "yahoo.com", subject: "SUBJECT")
}

extension IncomingIdentity {
    /// Somebody of whom the provider says nothing but the verified address.
    static func baseline(
        _ subject: String = "SUBJECT", at provider: String = "yahoo.com", email: String? = nil
    ) -> IncomingIdentity {
        IncomingIdentity(
            identity: ExternalIdentity(provider: provider, subject: subject), details: IdentityDetails(),
            email: email.flatMap { EmailAddress($0) })
    }
}

extension AccountDirectory {
    /// The uid of a sign-in that nothing is in the way of.
    @discardableResult
    func enter(
        _ identity: ExternalIdentity = .baseline, as candidates: String..., at moment: NumericDate = now
    ) async throws -> String {
        let arrival = IncomingIdentity(identity: identity, details: IdentityDetails(), email: nil)
        let decision = try await signIn(arrival, candidates: candidates, emails: .oneAccountEach, at: moment)
        guard case .signedIn(let uid, _, _) = decision else { throw Unexpected() }
        return uid
    }

    /// A new account of an arrival.
    func make(_ uid: String, of arrival: IncomingIdentity, emails: EmailRule = .oneAccountEach) async throws {
        let decision = try await signIn(arrival, candidates: [uid], emails: emails, at: now)
        guard decision == .signedIn(uid: uid, isNew: true) else { throw Unexpected() }
    }
}

/// A test's own preparations did not come to what they should.
struct Unexpected: Error {}
