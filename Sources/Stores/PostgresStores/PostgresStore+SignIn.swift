package import JOSE
internal import Postgres
package import Stores

extension PostgresStore {
    package func signIn(
        _ arrival: IncomingIdentity, candidates: [String], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        // Again where another has just made, moved or removed the account: then that one was first.
        for _ in 0..<Attempts.limit {
            // Almost everybody has been here before.
            if let known = try await perform({ try AccountTables.known(arrival.identity, &$0) }) {
                if let answer = known.answer(to: arrival, at: now) { return answer }
                let refreshed = known.refreshed(by: arrival, at: now)
                let isDone = try await perform { try AccountTables.update(refreshed, of: arrival.identity, &$0) }
                guard isDone else { continue }
                let holders = try await holders(afterTaking: known.email(of: arrival), for: known.uid, emails)
                return .signedIn(uid: known.uid, isNew: false, emailHeldBy: holders)
            } else {
                switch try await made(arrival, candidates, emails, at: now) {
                case .decided(let decision): return decision
                case .noFreeUID: throw .noFreeUID
                case .someoneElseDid: break
                }
            }
        }
        throw .unavailable(.busy)
    }

    /// The accounts that keep an address from one that a sign-in brought it to; empty if it took the address.
    private func holders(
        afterTaking email: EmailAddress?, for uid: String, _ emails: EmailRule
    ) async throws(StoreError) -> [String] {
        guard let email else { return [] }
        return try await transaction { connection in
            let holders = try AccountTables.take(email, for: uid, emails, &connection)
            return holders.isEmpty ? .keep([]) : .undo(holders)
        }
    }

    private enum Making {
        case decided(SignInDecision)
        case someoneElseDid
        case noFreeUID
    }

    private func made(
        _ arrival: IncomingIdentity, _ candidates: [String], _ emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> Making {
        let email = emails == .oneAccountEach ? arrival.email : nil
        return try await transaction { connection in
            let uid = try candidates.first { uid in
                try AccountTables.insert(StoredAccount(uid: uid, of: arrival, at: now), &connection)
            }
            guard let uid else {
                // The uids may have gone to this very identity.
                if try AccountTables.known(arrival.identity, &connection) != nil { return .undo(.someoneElseDid) }
                let taken = try email.map { try Self.holders(of: $0, except: "", &connection) } ?? nil
                return .undo(taken ?? .noFreeUID)
            }
            // If many callers come as one person at once, this one statement decides which of them makes the account.
            guard try AccountTables.insert(StoredIdentity(arrival, at: now), uid: uid, &connection)
            else { return .undo(.someoneElseDid) }
            if let email, try !AccountTables.claim(email, uid: uid, &connection) {
                // No account has it any more, although one had it a moment ago: begin anew.
                return .undo(try Self.holders(of: email, except: uid, &connection) ?? .someoneElseDid)
            }
            return .keep(.decided(.signedIn(uid: uid, isNew: true)))
        }
    }

    /// Nil where there are none.
    private static func holders(
        of email: EmailAddress, except uid: String, _ connection: inout Connection
    ) throws -> Making? {
        let holders = try AccountTables.accounts(email: email, except: uid, &connection)
        return holders.isEmpty ? nil : .decided(.emailTaken(by: holders))
    }
}
