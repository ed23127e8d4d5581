import PostgresStores
import Stores
import Testing

@Suite("SQLSTATEs")
struct StoreErrorTests {
    static let faults: [(String, StoreFault)] = [
        ("40001", .busy), ("40P01", .busy), ("55P03", .busy), ("57014", .busy), ("53100", .full),
        ("53300", .tooManyConnections), ("25006", .readOnly), ("08006", .inputOutput), ("08P01", .pooler),
        ("58030", .inputOutput), ("57P01", .restarting), ("57P02", .restarting), ("57P03", .restarting),
        ("57P05", .inputOutput), ("28P01", .authentication), ("28000", .authentication), ("3D000", .databaseMissing),
        ("57P04", .databaseMissing), ("42501", .privilegeMissing), ("3F000", .privilegeMissing), ("42P01", .cannotOpen),
        ("42P05", .transactionPooler), ("26000", .transactionPooler),
        ("23514", .other), ("22001", .other), ("XX000", .other),
    ]

    @Test(
        "SR-06: a state is unavailable if it was rolled back, and unknown if it may have been committed",
        arguments: faults)
    func fault(state: String, fault: StoreFault) {
        // A message that could quote a row is left out, so that an error without a name of its own has its state.
        let cause = fault == .other ? "SQLSTATE \(state)" : nil
        #expect(StoreError(sqlState: state, mayHaveCommitted: false) == .unavailable(fault, cause: cause))
        #expect(StoreError(sqlState: state, mayHaveCommitted: true) == .outcomeUnknown(fault))
    }

    @Test("Data corruption is reported as corrupt, and as unknown during a commit", arguments: ["XX001", "XX002"])
    func damage(state: String) {
        #expect(StoreError(sqlState: state, mayHaveCommitted: false) == .corrupt)
        #expect(StoreError(sqlState: state, mayHaveCommitted: true) == .outcomeUnknown(.corrupt))
    }
}
