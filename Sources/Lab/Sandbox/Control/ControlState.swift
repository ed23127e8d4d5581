import Jansson

/// The configured faults and the log of requests.
actor ControlState {
    private var faults: [Endpoint: Fault] = [:]
    private var log: [Entry] = []
    private var lastNumber: Int64 = 0

    /// An entry of the log.
    ///
    /// It contains names, but no values of parameters or header fields.
    private struct Entry {
        let number: Int64
        let standIn: StandIn
        let endpoint: Endpoint?
        let method: String
        let path: String
        let status: Int
        /// `Basic`, `Bearer`, `OAuth` …; `nil` if there is no `Authorization` field.
        let scheme: String?
        let queryParameters: [String]
        let bodyParameters: [String]

        var json: JSON {
            .object([
                "seq": .integer(number), "stand_in": .string(standIn.rawValue),
                "endpoint": endpoint.map { .string($0.rawValue) } ?? .null, "method": .string(method),
                "path": .string(path), "status": .integer(Int64(status)),
                "authorization": scheme.map { .string($0) } ?? .null,
                "query_parameters": .array(queryParameters.map { .string($0) }),
                "body_parameters": .array(bodyParameters.map { .string($0) }),
            ])
        }
    }

    /// Sets the fault of an endpoint, replacing an earlier one.
    func place(_ fault: Fault) {
        faults[fault.target] = fault
    }

    func removeFaults() {
        faults = [:]
    }

    /// Returns the fault for the next request to `endpoint`, and counts it down.
    func takeFault(of endpoint: Endpoint) -> Fault? {
        guard var fault = faults[endpoint] else { return nil }
        if let remaining = fault.remaining {
            fault.remaining = remaining - 1
            faults[endpoint] = remaining > 1 ? fault : nil
        }
        return fault
    }

    /// Adds an entry to the log.
    ///
    /// `status` is 0 if the connection was dropped.
    func record(_ request: IncomingRequest, at endpoint: Endpoint?, of standIn: StandIn, status: Int) {
        lastNumber += 1
        log.append(
            Entry(
                number: lastNumber, standIn: standIn, endpoint: endpoint, method: request.method, path: request.path,
                status: status,
                scheme: request.fields("authorization").first.map { String($0.prefix { $0 != " " }.prefix(16)) },
                queryParameters: request.queryParameters?.names ?? [],
                bodyParameters: request.bodyParameters?.names ?? []))
        // Limits the memory of a sandbox that runs for days.
        if log.count > 20_000 { log.removeFirst(10_000) }
    }

    /// The requests with numbers above `number`: `{"requests": […], "counts": {"yahoo.token": 2}, "last": 17}`.
    func requests(since number: Int64) -> JSON {
        let entries = log.filter { $0.number > number }
        var counts: [String: Int64] = [:]
        for entry in entries { counts[entry.endpoint?.rawValue ?? "\(entry.standIn.rawValue).other", default: 0] += 1 }
        return .object([
            "requests": .array(entries.map(\.json)), "counts": .object(counts.mapValues { .integer($0) }),
            "last": .integer(lastNumber),
        ])
    }

    /// Removes all requests.
    ///
    /// The numbering continues.
    func forgetRequests() {
        log = []
    }
}
