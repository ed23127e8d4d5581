/// What an operator should know about a store that works.
package enum StoreWarning: String, Sendable, CaseIterable {
    /// Several hosts are named, and the server waits for no standby.
    case asynchronousReplicas = "asynchronous_replicas"
    /// `synchronous_commit` is below `on` for the server, the database, the role or the connection string.
    case weakSynchronousCommit = "weak_synchronous_commit"

    /// What can happen, and what to do.
    package var advice: String {
        switch self {
        case .asynchronousReplicas:
            "the connection string names several hosts, and synchronous_standby_names is empty: a failover can lose links, "
                + "unlinks and deleted accounts that were confirmed. Credentials are still good for one use. Set "
                + "synchronous_standby_names"
        case .weakSynchronousCommit:
            "synchronous_commit is below on: this program sets it to on for its own sessions, but other programs can lose "
                + "confirmed commits at a failover. Set synchronous_commit to on"
        }
    }
}
