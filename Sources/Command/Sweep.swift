internal import ArgumentParser
internal import Firebase
internal import JOSE
internal import Jansson
internal import Settings
internal import Stores

struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Deletes what has expired, once: records, anonymous accounts and audit lines.",
        discussion: """
            It does what serve does at each server.sweep_interval, for a scheduled job of a platform that gives processor time \
            only during requests. It may run beside servers, and several times at once. In Firestore the policies that \
            migrate makes delete the records; in other stores, one sweep deletes the records of one hour at most, and \
            nothing is deleted unless a server has used the store within the last minute, because only its times confirm the \
            clock.

            Exit codes: 0 done, 1 not done, 78 wrong configuration.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Only print how many anonymous accounts would be deleted.")
    var dryRun = false

    func run() async throws {
        let session = try await OperatorSession.open(options)
        defer { session.close() }
        let (store, settings, now) = (session.store, session.settings, session.time.now())
        guard !dryRun else {
            let count = try await session.answer(of: await store.countStaleAnonymous(at: now))
            return output.write(
                "\(Counted.of(count, "anonymous account")) would be deleted", ["would_delete": .integer(Int64(count))])
        }
        let reading = try await session.reportingErrors { () throws(StoreError) in
            // With Firestore it records nothing, and reads the clock of the database.
            if settings.store.isMetered { try await store.watch(at: now) }
            return try await store.watchReading()
        }
        guard let end = SweepStep.end(at: now, reading) else {
            throw Exit.because("nothing was deleted: \(Self.obstacle(at: now, reading))", Exit.failure)
        }
        let records = try await session.answer(of: await RecordSweep(store: store).run(before: end))
        output.write(
            settings.store.isMetered && records == 0
                ? "expired records: Firestore deletes them by the policies that migrate makes"
                : "expired records: \(records) deleted", ["records_deleted": .integer(Int64(records))])
        let lines = try await session.reportingErrors { () throws(StoreError) in
            settings.audit.store ? try await AuditOutput.sweep(store, olderThan: now - settings.audit.retention) : 0
        }
        output.write("audit lines: \(lines) deleted", ["audit_lines_deleted": .integer(Int64(lines))])
        let accounts = try await FirebaseUsers.with(session) { users in
            try await session.answer(of: await Self.sweepAccounts(session, users.anonymous, at: now))
        }
        output.write(
            "anonymous accounts: \(accounts.removed) deleted; Firebase users kept: \(accounts.left)",
            [
                "accounts_deleted": .integer(Int64(accounts.removed)),
                "firebase_users_kept": .integer(Int64(accounts.left)),
            ])
    }

    private static func sweepAccounts(
        _ session: OperatorSession, _ users: AnonymousUsers, at now: NumericDate
    ) async throws(StoreError) -> AnonymousSweep.Count {
        let sweep = AnonymousSweep(session.store, users)
        try await AnonymousSweep.dropAdopted(session.store, at: now)
        guard let retention = session.settings.accounts.anonymousRetention else {
            return AnonymousSweep.Count(left: try await sweep.deleteLeft(at: now))
        }
        // Accounts from a time without a retention have no end yet.
        _ = try await session.store.markAnonymous(deleteAfter: now + retention)
        return try await sweep.run(at: now)
    }

    static func obstacle(at now: NumericDate, _ reading: WatchReading) -> String {
        if let times = reading.differingTimes(at: now) {
            return "the \(times): correct the clock that is wrong. After that, token-exchange doctor says what helps"
        }
        return
            "no server has used the store within the last minute, so that nothing confirms the clock of this machine: run "
            + "it while a server runs. If one runs, the clocks of the two machines differ"
    }
}

extension WatchReading {
    /// Two times of which one is wrong, without an article before them; `nil` if the clock agrees with the store.
    func differingTimes(at now: NumericDate) -> String? {
        let shown = "clock of this machine shows \(AccountTable.date(now)), and "
        let latest = AccountTable.date(max(watchedUntil, sweptThrough))
        if isBehind(now) { return shown + "the times in the store reach \(latest)" }
        guard let clock, isClockOff(from: now) else { return nil }
        return shown + "that of the database \(AccountTable.date(clock))"
    }
}
