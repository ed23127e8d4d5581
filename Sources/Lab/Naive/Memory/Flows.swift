internal import AttackLab

/// Sign-ins under way, by their `state`.
actor Flows {
    private var flows: [String: Flow] = [:]
    private let kit: Kit

    init(_ kit: Kit) {
        self.kit = kit
    }

    func begin(_ flow: Flow, state: String) {
        flows = flows.filter { $0.value.expiresAt > kit.now - 3600 }
        flows[Kit.digest(state)] = flow
    }

    /// The flow that a callback belongs to, which stays where it is.
    ///
    /// - Throws: `state_mismatch` unless it is one of this browser.
    func answered(_ state: String?, _ cookies: FlowCookies) throws(Refusal) -> Flow {
        if kit.makes(.stateUnchecked), let flow = newest(of: cookies) { return flow }
        guard let state else { throw .stateMismatch }
        return try find(state, cookies, isBound: !kit.makes(.stateUnbound))
    }

    /// The flow that a page asks about.
    func asked(_ handle: String, _ cookies: FlowCookies) throws(Refusal) -> Flow {
        try find(handle, cookies, isBound: true)
    }

    private func find(_ state: String, _ cookies: FlowCookies, isBound: Bool) throws(Refusal) -> Flow {
        guard let flow = flows[Kit.digest(state)] else { throw .stateMismatch }
        // RFC 9700 section 4.7.1: bound to the browser that began.
        guard !isBound || cookies.value(of: state).map({ same($0, flow.cookie) }) ?? false else {
            throw .stateMismatch
        }
        guard kit.now < flow.expiresAt else { throw .expired }
        return flow
    }

    /// Good for one answer: a hundred at once find one winner.
    func take(_ flow: Flow) async throws(Refusal) {
        if kit.makes(.stateReused) { return }
        guard let key = key(of: flow) else { throw .stateMismatch }
        if kit.makes(.checkThenAct) { try? await Task.sleep(for: .milliseconds(30)) }
        flows[key] = nil
    }

    private func key(of flow: Flow) -> String? { flows.first { same($0.value.cookie, flow.cookie) }?.key }

    /// Whatever this browser has begun last, as if there were no `state`.
    private func newest(of cookies: FlowCookies) -> Flow? {
        flows.values.filter { flow in flow.leg != nil && cookies.values.contains { same($0, flow.cookie) } }
            .max { $0.expiresAt < $1.expiresAt }
    }
}
