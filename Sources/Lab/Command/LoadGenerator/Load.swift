internal import NIOCore
internal import NIOPosix

/// Sends load to a server from one event loop, and measures the responses.
///
/// One thread can send more requests than a server on two cores can answer, and it needs no locks.
package final class Load {
    private let plan: LoadPlan
    private let loop: any EventLoop
    private let finished: EventLoopPromise<LoadReport>
    private var meter: LoadMeter
    private var workload: WorkloadQueue
    private var schedule: Schedule?
    private var began = NIODeadline.now()
    private var connections: [ObjectIdentifier: ClientConnection] = [:]
    private var free: [ClientConnection] = []
    /// Sequences that are due but have no free connection.
    private var waiting = ArraySlice<(sequence: any RequestSequence, due: NIODeadline)>()
    private var underWay = 0
    private var phase = Phase.connecting
    private var failedConnections = 0
    private var sum: LoadMeter.Sum?

    private enum Phase {
        case connecting
        case loading
        /// No new sequence is started. Responses to those in progress are still received.
        case draining
        case over
    }

    /// The greatest number of connections that are opened at once.
    ///
    /// The accept queue of a listener is short.
    private static let connectLimit = 128
    private static let failureLimit = 2000
    /// The time after the end of the load after which a request counts as unanswered.
    private static let patience = TimeAmount.seconds(30)

    private init(_ plan: LoadPlan, _ workload: Workload, _ finished: EventLoopPromise<LoadReport>) {
        self.plan = plan
        self.workload = WorkloadQueue(workload)
        self.finished = finished
        loop = finished.futureResult.eventLoop
        meter = LoadMeter(plan)
    }

    /// Runs the workload by the plan.
    ///
    /// - Throws: ``LoadError``.
    package static func run(_ plan: LoadPlan, _ workload: Workload) async throws -> LoadReport {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: LoadReport.self)
        loop.execute {
            let load = Load(plan, workload, promise)
            load.connectAll()
            // The closures of the loop keep `load` alive until the end.
            promise.futureResult.assumeIsolated().whenComplete { _ in load.phase = .over }
        }
        return try await promise.futureResult.get()
    }

    // MARK: - Connecting

    private func connectAll() {
        for _ in 0..<min(plan.connections, Self.connectLimit) { connect() }
    }

    private func connect() {
        let load = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = ClientConnection(load.value)
                    try channel.pipeline.syncOperations.addHandler(connection)
                    load.value.connections[ObjectIdentifier(connection)] = connection
                }
            }
            .connect(host: "127.0.0.1", port: plan.port)
            .flatMap { channel in
                channel.pipeline.handler(type: ClientConnection.self).map {
                    NIOLoopBound($0, eventLoop: channel.eventLoop)
                }
            }
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let connection): self.connected(connection.value)
                case .failure(let error): self.notConnected(error)
                }
            }
    }

    private func connected(_ connection: ClientConnection) {
        guard phase == .connecting else { return isFree(connection) }
        free.append(connection)
        if free.count == plan.connections {
            begin()
        } else if connections.count < plan.connections {
            connect()
        }
    }

    /// A loaded server may refuse a connection, so it is tried again.
    ///
    /// A server that accepts none cannot be measured.
    private func notConnected(_ error: any Error) {
        failedConnections += 1
        if phase == .connecting, failedConnections > Self.failureLimit {
            return finished.fail(LoadError.noConnection(cause: "\(error)"))
        }
        loop.assumeIsolated().scheduleTask(in: .milliseconds(10)) { if self.needsConnections { self.connect() } }
    }

    private var needsConnections: Bool {
        phase == .connecting || phase == .loading && (schedule != nil || !workload.isEmpty)
    }

    func lost(_ connection: ClientConnection) {
        let wasKnown = connections.removeValue(forKey: ObjectIdentifier(connection)) != nil
        free.removeAll { $0 === connection }
        if wasKnown, needsConnections { connect() }
    }

    // MARK: - Loading

    private func begin() {
        phase = .loading
        began = .now()
        if case .open(let rate, let spacing) = plan.pace { schedule = Schedule(rate: rate, spacing: spacing, seed: 1) }
        let warmUp = TimeAmount(plan.warmUp)
        if warmUp == .zero { open() } else { after(warmUp) { $0.open() } }
        if schedule == nil {
            let all = free
            free = []
            for connection in all { isFree(connection) }
        } else {
            sendWhatIsDue(at: nil)
        }
    }

    private func open() {
        do { try meter.open() } catch { return finished.fail(error) }
        after(TimeAmount(plan.length)) { $0.drain() }
    }

    /// Ends the load.
    ///
    /// A closed loop ends immediately, because the remaining requests would be answered by a server without load.
    private func drain() {
        guard phase == .loading else { return }
        phase = .draining
        do { sum = try meter.sum() } catch { return finished.fail(error) }
        if schedule == nil { return end() }
        after(Self.patience) { $0.end() }
        endIfAnswered()
    }

    private func end() {
        guard phase != .over, let sum else { return }
        for _ in 0..<(schedule == nil ? 0 : underWay + waiting.count) {
            meter.record(status: 0, body: nil, due: .now() - Self.patience, now: .now())
        }
        phase = .over
        for connection in connections.values { connection.close() }
        finished.succeed(meter.report(sum))
    }

    private func endIfAnswered() {
        if phase == .draining, underWay == 0, waiting.isEmpty { end() }
    }

    func isFree(_ connection: ClientConnection) {
        if let next = waiting.popFirst() {
            start(next.sequence, at: connection, due: next.due)
        } else if schedule == nil, phase == .loading, let sequence = workload.next() {
            start(sequence, at: connection, due: .now())
        } else {
            free.append(connection)
        }
    }

    /// Ends the measurement with the last response if the workload is finished before the planned time.
    private func endIfNothingIsLeft() {
        guard phase == .loading, underWay == 0, workload.isEmpty, schedule == nil || waiting.isEmpty else { return }
        if !meter.isOpen { return finished.fail(LoadError.tooFewRequests) }
        drain()
    }

    private func start(_ sequence: any RequestSequence, at connection: ClientConnection, due: NIODeadline) {
        underWay += 1
        connection.begin(sequence, due: due)
    }

    func ended(status: Int, body: ByteBuffer?, due: NIODeadline) {
        underWay -= 1
        guard phase != .over else { return }
        meter.record(status: status, body: body, due: due, now: .now())
        endIfAnswered()
        endIfNothingIsLeft()
    }

    /// Starts the sequences that are due, and schedules itself for the next one.
    ///
    /// - Parameter due: The time at which the sequence that this call starts is due; `nil` at the first call.
    private func sendWhatIsDue(at due: NIODeadline?) {
        guard phase == .loading else { return }
        var due = due
        while true {
            if let due {
                guard let sequence = workload.next() else { return endIfNothingIsLeft() }
                if let connection = free.popLast() {
                    start(sequence, at: connection, due: due)
                } else {
                    waiting.append((sequence, due))
                }
            }
            guard let next = schedule?.next() else { return }
            let moment = began + .nanoseconds(next)
            due = moment
            if moment > .now() {
                loop.assumeIsolated().scheduleTask(deadline: moment) { self.sendWhatIsDue(at: moment) }
                return
            }
        }
    }

    private func after(_ time: TimeAmount, _ body: @escaping (Load) -> Void) {
        loop.assumeIsolated().scheduleTask(in: time) { if self.phase != .over { body(self) } }
    }
}

/// The sequences that were not started yet.
private struct WorkloadQueue {
    private let workload: Workload
    private var index = 0

    init(_ workload: Workload) {
        self.workload = workload
    }

    var isEmpty: Bool {
        if case .once(let list) = workload { index == list.count } else { false }
    }

    mutating func next() -> (any RequestSequence)? {
        switch workload {
        case .again(let sequence): return sequence
        case .once(let list):
            guard index < list.count else { return nil }
            defer { index += 1 }
            return list[index]
        }
    }
}
