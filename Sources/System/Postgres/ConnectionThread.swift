internal import Foundation

/// A thread of ``ConnectionPool``, which owns one connection, or none until it is needed.
final class ConnectionThread: Sendable {
    /// Makes a connection that is fit for use.
    typealias Opening = @Sendable () throws(PostgresError) -> Connection

    private let queue: JobQueue
    private let open: Opening

    init(queue: JobQueue, open: @escaping Opening) {
        self.queue = queue
        self.open = open
    }

    func start(signallingAtEnd ended: DispatchSemaphore) {
        let thread = Thread {
            self.run()
            ended.signal()
        }
        thread.name = "postgres"
        thread.start()
    }

    private func run() {
        var connection: Connection?
        while let job = queue.next() {
            guard ContinuousClock.now < job.deadline else {
                job.fail(queue.lateness)
                continue
            }
            do throws(PostgresError) {
                // A server that was restarted has closed it meanwhile, and nothing was sent yet.
                var current = try Self.alive(connection.take(), else: open)
                queue.note(openingFailure: nil)
                job.run(&current)
                // A job that left it open was not the one to commit it.
                current.rollback()
                connection = consume current
            } catch {
                queue.note(openingFailure: error)
                job.fail(error)
            }
        }
    }

    private static func alive(
        _ connection: consuming Connection?, else open: Opening
    ) throws(PostgresError) -> Connection {
        if let connection, connection.isAlive() { return connection }
        return try open()
    }
}
