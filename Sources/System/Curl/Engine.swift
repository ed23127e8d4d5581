internal import CCurl
internal import Transport

/// Runs all transfers of one transport, on a thread of its own.
///
/// All methods run on that thread.
final class Engine {
    private let commands: CommandQueue
    private let multi: MultiHandle
    private let configuration: CurlConfiguration
    private var queues: OriginQueues
    private var active: [UInt: Transfer] = [:]
    private var idle: [Transfer] = []
    /// The number of idle handles to keep, which suffices for the usual load.
    ///
    /// After a burst of calls, additional handles are freed.
    private static let maximumIdle = 256

    init(commands: CommandQueue, multi: MultiHandle, configuration: CurlConfiguration) {
        self.commands = commands
        self.multi = multi
        self.configuration = configuration
        queues = OriginQueues(
            activePerOrigin: configuration.activePerOrigin, waitingPerQueue: configuration.waitingPerQueue)
    }

    /// Runs transfers until the command queue is stopped.
    func run() {
        while let commands = commands.take() {
            for command in commands { handle(command) }
            for call in queues.removeExpired(at: .now) {
                call.finish(.failure(.timedOut(host: call.target.origin.host, requestSent: false)))
            }
            var isWorking = multi.perform()
            while let (address, code) = multi.nextFinished() {
                if let transfer = active[address] { end(transfer, code) }
            }
            // libcurl's own timers end the poll early.
            let pause = min(queues.untilNextExpiry(from: .now) ?? .seconds(1), .seconds(1))
            isWorking = multi.poll(milliseconds: pause.atLeastOneMillisecond) && isWorking
            if !isWorking { abandonActive { call, _ in .interrupted(host: call.target.origin.host) } }
        }
        let waiting = queues.removeAll()
        abandonActive { _, transfer in .cancelled(requestSent: transfer.reception.requestWasAnnounced) }
        for call in waiting { call.finish(.failure(.cancelled(requestSent: false))) }
        for case .submit(let call) in commands.close() { call.finish(.failure(.cancelled(requestSent: false))) }
    }

    private func handle(_ command: CommandQueue.Command) {
        switch command {
        case .submit(let call) where call.isCancelled:
            call.finish(.failure(.cancelled(requestSent: false)))
        case .submit(let call):
            switch queues.admit(call) {
            case .start: startFirst(OriginQueues.Turn(call: call, isInTime: true))
            case .wait: break
            case .full: call.finish(.failure(.overloaded(host: call.target.origin.host)))
            }
        case .cancel(let call):
            if queues.remove(call) {
                call.finish(.failure(.cancelled(requestSent: false)))
            } else if let transfer = active.values.first(where: { $0.call === call }) {
                let requestSent = transfer.reception.requestWasAnnounced
                release(transfer)
                call.finish(.failure(.cancelled(requestSent: requestSent)))
                startFirst(queues.leave(call, at: .now))
            }
        }
    }

    /// Starts the next call.
    ///
    /// If the call cannot be started, the method continues with the one after it.
    private func startFirst(_ turn: OriginQueues.Turn?) {
        var next = turn
        while let turn = next {
            if turn.isInTime {
                if start(turn.call, isSecondAttempt: false) { return }
            } else {
                turn.call.finish(.failure(.overloaded(host: turn.call.target.origin.host)))
            }
            next = queues.leave(turn.call, at: .now)
        }
    }

    /// Starts a transfer.
    ///
    /// - Returns: `false` if the call has failed instead.
    private func start(_ call: Call, isSecondAttempt: Bool) -> Bool {
        let host = call.target.origin.host
        let now = ContinuousClock.Instant.now
        let remaining = now.duration(to: call.deadline)
        guard remaining > .zero else {
            call.finish(.failure(.timedOut(host: host, requestSent: isSecondAttempt)))
            return false
        }
        do throws(CurlError) {
            let transfer = if let used = idle.popLast() { used } else { try Transfer() }
            try transfer.prepare(
                for: call, within: remaining, isSecondAttempt: isSecondAttempt, configuration: configuration)
            guard multi.add(transfer.handle) else { throw .initializationFailed }
            transfer.startedAt = now
            active[transfer.handle.address] = transfer
            return true
        } catch {
            call.finish(.failure(isSecondAttempt ? .interrupted(host: host) : .unreachable(host: host)))
            return false
        }
    }

    private func end(_ transfer: Transfer, _ code: CURLcode) {
        guard let call = transfer.call else { return }
        let now = ContinuousClock.Instant.now
        var time: Duration?
        if transfer.mayStartOver(after: code) {
            release(transfer)
            if start(call, isSecondAttempt: true) { return }
        } else {
            let outcome = transfer.outcome(of: code, host: call.target.origin.host)
            switch outcome {
            case .success, .failure(.timedOut): time = transfer.startedAt.duration(to: now)
            case .failure: break
            }
            release(transfer)
            call.finish(outcome)
        }
        startFirst(queues.leave(call, after: time, at: now))
    }

    /// Removes the transfer from the multi handle, and keeps its easy handle for another call.
    private func release(_ transfer: Transfer) {
        multi.remove(transfer.handle)
        active[transfer.handle.address] = nil
        transfer.clear()
        if idle.count < Self.maximumIdle { idle.append(transfer) }
    }

    private func abandonActive(because reason: (Call, Transfer) -> TransportError) {
        for transfer in active.values {
            guard let call = transfer.call else { continue }
            let failure = reason(call, transfer)
            release(transfer)
            call.finish(.failure(failure))
            startFirst(queues.leave(call, at: .now))
        }
    }
}
