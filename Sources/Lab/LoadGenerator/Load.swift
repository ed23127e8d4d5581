internal import NIOCore
internal import NIOPosix

/// Loads a server from one event loop, and measures.
///
/// One thread is enough for more requests than two cores can answer, and it needs no locks.
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
    /// Workload that are due and have no connection.
    private var waiting = ArraySlice<(sequence: any RequestSequence, due: NIODeadline)>()
    private var underWay = 0
    private var phase = Phase.connecting
    private var failedConnections = 0
    private var sum: LoadMeter.Sum?

    private enum Phase {
        case connecting
        case loading
        /// Nothing new is sent; what was sent is waited for.
        case draining
        case over
    }

    /// How many connections may be on their way at once: the queue of a listener is short.
    private static let connectLimit = 128
    private static let failureLimit = 2000
    /// What has no answer so long after the load ended is counted as unanswered.
    private static let patience = TimeAmount.seconds(30)

    private init(_ plan: LoadPlan, _ workload: Workload, _ finished: EventLoopPromise<LoadReport>) {
        self.plan = plan
        self.workload = WorkloadQueue(workload)
        self.finished = finished
        loop = finished.futureResult.eventLoop
        meter = LoadMeter(plan)
    }

    /// - Throws: ``LoadError``.
    package static func run(_ plan: LoadPlan, _ workload: Workload) async throws -> LoadReport {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: LoadReport.self)
        loop.execute {
            let load = Load(plan, workload, promise)
            load.connectAll()
            // The tasks of the loop hold it until the end.
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

    /// A server that is loaded may refuse a connection, and is asked again; one that takes none cannot be measured.
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
    /// A closed loop ends here, as what is under way would otherwise be answered by an idle server.
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

    /// The errands were fewer than there was time for: the measurement ends with the last answer.
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

    /// Sends what is due, and comes again for the next.
    ///
    /// - Parameter due: the moment of the request that this call sends; nil at the first call.
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

/// The errands that are still to do.
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
