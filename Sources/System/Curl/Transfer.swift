internal import CCurl
internal import Transport

/// One easy handle with all that libcurl points to while it works, used for call after call by the engine's thread.
final class Transfer {
    let handle: EasyHandle
    private var lines: HeaderLines?
    private(set) var reception = Reception(maximumBodyBytes: 0)
    private(set) var call: Call?
    private(set) var isSecondAttempt = false
    /// When the call, or its second attempt, began.
    var startedAt = ContinuousClock.now

    init() throws(CurlError) {
        handle = try EasyHandle()
    }

    /// Sets every option anew, while the handle is with no multi handle.
    ///
    /// A second attempt gets a connection of its own, so that it cannot meet another dead one.
    func prepare(
        for call: Call, within remaining: Duration, isSecondAttempt: Bool, configuration: CurlConfiguration
    ) throws(CurlError) {
        clear()
        self.call = call
        self.isSecondAttempt = isSecondAttempt
        let request = call.request
        reception = Reception(maximumBodyBytes: max(0, request.maximumBodyBytes))
        try handle.deliver(to: reception)
        try handle.setRules(scheme: call.target.origin.scheme, configuration: configuration)
        try handle.setLimits(within: remaining, bodyBytes: request.maximumBodyBytes, configuration: configuration)
        try handle.set(CURLOPT_URL, call.target.url)
        try handle.set(CURLOPT_FRESH_CONNECT, isSecondAttempt ? 1 : 0)
        switch request.method {
        case .get:
            try handle.set(CURLOPT_HTTPGET, 1)
        case .post:
            try handle.set(CURLOPT_POST, 1)
            try handle.set(body: request.body)
        }
        try setLines(HeaderLines(request.header))
    }

    /// Forgets the call and its secrets.
    func clear() {
        // CURLOPT_HTTPHEADER(3): "libcurl will not copy the entire list": the handle forgets it before it is freed.
        handle.reset()
        lines = nil
        reception = Reception(maximumBodyBytes: 0)
        call = nil
        isSecondAttempt = false
    }

    private func setLines(_ new: consuming HeaderLines) throws(CurlError) {
        try handle.set(CURLOPT_HTTPHEADER, new)
        lines = consume new
    }
}
