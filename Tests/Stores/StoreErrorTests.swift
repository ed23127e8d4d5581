import SQLiteStores
import Standards
import Stores
import Testing

@Suite("Store errors")
struct StoreErrorTests {
    @Test("Only an unknown outcome leaves open whether data was written")
    func nothingWasWritten() {
        #expect(!StoreError.outcomeUnknown(.inputOutput).nothingWasWritten)
        let others: [StoreError] = [
            .unavailable(.busy), .noFreeUID, .newerSchema(found: "b", supported: "a"), .corrupt,
            .notLocal(fileSystem: "nfs"), .exposed(path: "/x", objection: "y"), .tablesBehind,
            .notDurable(setting: "fsync", value: "off", needed: "on"),
        ]
        for error in others { #expect(error.nothingWasWritten) }
    }

    @Test("Every error has a stable name")
    func codes() {
        #expect(
            StoreFault.allCases.map { StoreError.unavailable($0).code } == [
                "store.unavailable.busy", "store.unavailable.full", "store.unavailable.read_only",
                "store.unavailable.input_output", "store.unavailable.cannot_open",
                "store.unavailable.no_folder", "store.unavailable.not_a_file", "store.unavailable.not_a_database",
                "store.unavailable.host_unknown", "store.unavailable.connection_refused",
                "store.unavailable.no_answer", "store.unavailable.tls", "store.unavailable.authentication_failed",
                "store.unavailable.client_certificate",
                "store.unavailable.no_hba_entry", "store.unavailable.no_database", "store.unavailable.no_role",
                "store.unavailable.no_privilege", "store.unavailable.too_many_connections",
                "store.unavailable.server_restarting", "store.unavailable.pooler",
                "store.unavailable.transaction_pooler",
                "store.unavailable.corrupt", "store.unavailable.closed",
                "store.unavailable.directory_unreachable", "store.unavailable.directory_refused",
                "store.unavailable.directory_busy", "store.unavailable.overloaded", "store.unavailable.other",
            ])
        #expect(StoreError.outcomeUnknown(.inputOutput).code == "store.outcome_unknown.input_output")
        #expect(StoreError.noFreeUID.code == "store.no_free_uid")
        #expect(StoreError.newerSchema(found: "b", supported: "a").code == "store.newer_schema")
        #expect(StoreError.corrupt.code == "store.corrupt")
        #expect(StoreError.notLocal(fileSystem: "nfs").code == "store.not_local")
        #expect(StoreError.exposed(path: "/x", objection: "y").code == "store.exposed")
        #expect(StoreError.tablesBehind.code == "store.tables_behind")
        #expect(StoreError.notDurable(setting: "fsync", value: "off", needed: "on").code == "store.not_durable")
    }

    @Test(
        "One text is true of a full disk, of damage and of an unknown outcome, and retry decides",
        arguments: [StoreError.unavailable(.full), .corrupt, .outcomeUnknown(.inputOutput)])
    func description(error: StoreError) {
        #expect(error.refusal.reason == .storeUnavailable)
        #expect(
            error.refusal.description
                == "The database does not respond, or refuses the server. Do what retry says, or begin again after a redirect. "
                + "If it happens again, the operator must act, see the server log.")
    }

    /// Result codes as in sqlite.org/rescode.html; the last four are extended ones.
    static let failures: [(Int32, beforeCommit: StoreError, atCommit: StoreError)] = [
        (5, .unavailable(.busy), .unavailable(.busy)), (6, .unavailable(.busy), .unavailable(.busy)),
        (13, .unavailable(.full), .unavailable(.full)),
        (8, .unavailable(.readOnly), .unavailable(.readOnly)),
        (10, .unavailable(.inputOutput), .outcomeUnknown(.inputOutput)),
        (14, .unavailable(.cannotOpen), .outcomeUnknown(.cannotOpen)),
        (3, .unavailable(.cannotOpen), .outcomeUnknown(.cannotOpen)),
        (23, .unavailable(.cannotOpen), .outcomeUnknown(.cannotOpen)),
        (21, .unavailable(.closed), .outcomeUnknown(.closed)),
        (7, .unavailable(.other), .outcomeUnknown(.other)),
        (19, .unavailable(.other), .outcomeUnknown(.other)), (11, .corrupt, .outcomeUnknown(.corrupt)),
        (26, .unavailable(.notADatabase), .outcomeUnknown(.corrupt)), (517, .unavailable(.busy), .unavailable(.busy)),
        (1034, .unavailable(.inputOutput), .outcomeUnknown(.inputOutput)),
        (1032, .unavailable(.readOnly), .unavailable(.readOnly)),
        (267, .corrupt, .outcomeUnknown(.corrupt)),
    ]

    @Test(
        "CR-08: a failure of SQLite is unavailable if no commit can be on the disk, and unknown if one can",
        arguments: failures)
    func resultCodes(code: Int32, beforeCommit: StoreError, atCommit: StoreError) {
        #expect(StoreError(sqliteResultCode: code, commitHasBegun: false) == beforeCommit)
        #expect(StoreError(sqliteResultCode: code, commitHasBegun: true) == atCommit)
    }
}
