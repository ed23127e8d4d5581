internal import NIOCore

/// Counts responses during the measurement window.
struct LoadMeter {
    private(set) var isOpen = false
    private let plan: LoadPlan
    private var opened = NIODeadline.now()
    private var before = Taken()
    private var latencies = Latencies()
    private var statuses: [Int: Int] = [:]
    private var refusals: [Int: String] = [:]

    /// Processor times in nanoseconds.
    private struct Taken {
        var server: Int64 = 0
        var database: Int64 = 0
        var generator: Int64 = 0
    }

    init(_ plan: LoadPlan) {
        self.plan = plan
    }

    mutating func open() throws(LoadError) {
        before = try taken()
        opened = .now()
        isOpen = true
    }

    /// Counts a response.
    ///
    /// `due` is the time at which its request was due.
    mutating func record(status: Int, body: ByteBuffer?, due: NIODeadline, now: NIODeadline) {
        // In an open loop, a request that was due before the window belongs to the warm-up.
        if case .open = plan.pace, due < opened { return }
        guard isOpen else { return }
        latencies.record(nanoseconds: (now - due).nanoseconds)
        statuses[status, default: 0] += 1
        if status == 0 || status >= 400, refusals[status] == nil {
            refusals[status] = String(String(buffer: body ?? ByteBuffer()).prefix(300))
        }
    }

    /// The processor times of the processes and the length of the window, at the end of the load.
    struct Sum {
        var nanoseconds: Int64
        var server: Int64
        var database: Int64
        var generator: Int64
    }

    func sum() throws(LoadError) -> Sum {
        let after = try taken()
        return Sum(
            nanoseconds: (NIODeadline.now() - opened).nanoseconds, server: after.server - before.server,
            database: after.database - before.database, generator: after.generator - before.generator)
    }

    mutating func report(_ sum: Sum) -> LoadReport {
        let count = Double(max(latencies.count, 1))
        let memory = ProcessTree(plan.server).residentMemory()
        return LoadReport(
            connections: plan.connections, seconds: Double(sum.nanoseconds) / 1e9, answers: latencies.count,
            rate: Double(latencies.count) * 1e9 / Double(max(sum.nanoseconds, 1)), p50: latencies.percentile(0.5),
            p99: latencies.percentile(0.99), p999: latencies.percentile(0.999), longest: latencies.percentile(1),
            statuses: Dictionary(uniqueKeysWithValues: statuses.map { ("\($0)", $1) }),
            refusals: Dictionary(uniqueKeysWithValues: refusals.map { ("\($0)", $1) }),
            serverTime: plan.server.isEmpty ? nil : Double(sum.server) / 1000 / count,
            databaseTime: plan.database.isEmpty ? nil : Double(sum.database) / 1000 / count,
            generatorTime: Double(sum.generator) / 1000 / count, memory: plan.server.isEmpty ? nil : memory.now,
            peakMemory: plan.server.isEmpty ? nil : memory.peak)
    }

    private func taken() throws(LoadError) -> Taken {
        Taken(
            server: try ProcessTree(plan.server).processorTime(),
            database: try ProcessTree(plan.database).processorTime(),
            generator: try ProcessTree([ProcessTree.current]).processorTime())
    }
}
