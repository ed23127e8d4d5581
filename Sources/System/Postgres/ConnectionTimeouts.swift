/// How long a server may take, so that none of our threads waits for ever.
package struct ConnectionTimeouts: Sendable, Equatable {
    /// For each host, unless the connection string says otherwise; libpq takes no less than two seconds.
    package var connect: Duration = .seconds(5)
    /// After this the server itself gives a statement up.
    package var statement: Duration = .seconds(5)
    /// After this the server gives a lock up.
    package var lock: Duration = .seconds(3)
    /// After this the server ends a transaction in which it hears nothing.
    package var idleInTransaction: Duration = .seconds(10)
    /// After this we take the connection for broken; longer than ``statement``.
    package var answer: Duration = .seconds(8)

    package init() {}
}

extension Duration {
    /// Rounded up, so that what is short does not become zero, which is for ever.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
