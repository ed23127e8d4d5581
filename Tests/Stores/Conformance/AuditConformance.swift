import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of the audit log", .serialized)
struct AuditConformance {
    private func line(_ id: String, at moment: NumericDate = now, uid: UID? = "u\0é") -> AuditLine {
        AuditLine(id: id, at: moment, uid: uid, text: #"{"audit":"mint","uid":"é\u0000"}"#)
    }

    @Test("Audit lines are stored once each, and swept by age, the oldest first", arguments: Database.allCases)
    func lines(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.append([line("1"), line("2", at: now + .seconds(1), uid: nil), line("3", at: later)])
            // A batch is appended again if the outcome of its commit was unknown.
            try await store.append([line("1"), line("4", at: later)])
            #expect(try await store.sweepAudit(olderThan: now, atMost: 10) == 0)
            #expect(try await store.sweepAudit(olderThan: later, atMost: 1) == 1)
            #expect(try await store.sweepAudit(olderThan: later, atMost: 10) == 1)
            #expect(try await store.sweepAudit(olderThan: later + .seconds(1), atMost: 10) == 2)
            #expect(try await store.sweepAudit(olderThan: later + .seconds(1), atMost: 10) == 0)
        }
    }
}
