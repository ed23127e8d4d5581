package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: StoreWatch {
    package func watch(at now: NumericDate) async throws(StoreError) {
        let hasClock = clock.renew(at: now)
        try await Self.perform(on: watcher) { [sessions] connection in
            let isUnbroken = sessions.isSame && hasClock
            try WatchTables.renew(at: now, isUnbroken: isUnbroken, &connection)
            sessions.noteRenewal()
        }
    }

    package func watchReading() async throws(StoreError) -> WatchReading {
        try await Self.perform(on: watcher) { try WatchTables.reading(&$0) }
    }

    package func warnings() async throws(StoreError) -> [StoreWarning] {
        try await Self.perform(on: watcher) { connection in
            let row = try connection.run(
                .reading(
                    """
                    SELECT current_setting('synchronous_standby_names', true),
                        (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit')
                    """)
            ).rows.first
            var warnings: [StoreWarning] = []
            if connection.hostCount > 1, row?.text(0)?.isEmpty ?? false { warnings.append(.asynchronousReplicas) }
            if ["local", "remote_write", "off"].contains(row?.text(1)) { warnings.append(.weakSynchronousCommit) }
            return warnings
        }
    }
}
