internal import HTTPTypes
internal import Hummingbird
internal import OpenSSL

/// A sign-in in a browser, from `/authorize` to the callback.
struct NaiveFlow: Sendable {
    /// The request of the application.
    struct Request: Sendable {
        let client: Client
        let redirectURI: String
        let state: String?
        let challenge: Challenge?
        let provider: String?
        let scopes: [String]
        let further: [(name: String, value: String)]
    }

    struct ProviderRequest: Sendable {
        let provider: String
        let nonce: String
        let codeVerifier: String
    }

    let request: Request
    /// `nil` until the user has chosen a provider.
    let providerRequest: ProviderRequest?
    /// The cookie of the browser that started the flow.
    let cookie: String
    let expiresAt: Int64
}

/// The sign-ins in progress, by their `state`.
actor NaiveFlows {
    private var flows: [String: NaiveFlow] = [:]
    private let environment: BackendEnvironment

    init(_ environment: BackendEnvironment) {
        self.environment = environment
    }

    func begin(_ flow: NaiveFlow, state: String) {
        flows = flows.filter { $0.value.expiresAt > environment.now - 3600 }
        flows[BackendEnvironment.digest(state)] = flow
    }

    /// Returns the flow of a callback without removing it.
    ///
    /// - Throws: `state_mismatch` unless this browser started the flow.
    func answered(_ state: String?, _ cookies: FlowCookies) throws(Refusal) -> NaiveFlow {
        if environment.makes(.stateUnchecked), let flow = newest(of: cookies) { return flow }
        guard let state else { throw .stateMismatch }
        return try find(state, cookies, isBound: !environment.makes(.stateUnbound))
    }

    /// Returns the flow of a confirmation page.
    func asked(_ handle: String, _ cookies: FlowCookies) throws(Refusal) -> NaiveFlow {
        try find(handle, cookies, isBound: true)
    }

    private func find(_ state: String, _ cookies: FlowCookies, isBound: Bool) throws(Refusal) -> NaiveFlow {
        guard let flow = flows[BackendEnvironment.digest(state)] else { throw .stateMismatch }
        // RFC 9700 section 4.7.1: a flow is bound to the browser that started it.
        guard !isBound || cookies.value(of: state).map({ same($0, flow.cookie) }) ?? false else {
            throw .stateMismatch
        }
        guard environment.now < flow.expiresAt else { throw .expired }
        return flow
    }

    /// Removes the flow.
    ///
    /// Only one of a hundred parallel calls succeeds.
    func take(_ flow: NaiveFlow) async throws(Refusal) {
        if environment.makes(.stateReused) { return }
        guard let key = key(of: flow) else { throw .stateMismatch }
        if environment.makes(.checkThenAct) { try? await Task.sleep(for: .milliseconds(30)) }
        flows[key] = nil
    }

    private func key(of flow: NaiveFlow) -> String? { flows.first { same($0.value.cookie, flow.cookie) }?.key }

    /// The latest flow of this browser, for the mistake of ignoring `state`.
    private func newest(of cookies: FlowCookies) -> NaiveFlow? {
        flows.values.filter { flow in flow.providerRequest != nil && cookies.values.contains { same($0, flow.cookie) } }
            .max { $0.expiresAt < $1.expiresAt }
    }
}

/// The cookies of a browser: one for each flow, named after its `state`, so that parallel flows do not interfere.
struct FlowCookies {
    private static let prefix = "flow-"
    private static let capacity = 8
    /// The oldest first.
    private let pairs: [(name: String, value: String)]

    init(_ request: Hummingbird.Request) {
        pairs = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(halves[0].drop { $0 == " " })
            guard halves.count == 2, name.hasPrefix(Self.prefix) else { return nil }
            return (name, String(halves[1]))
        }
    }

    var values: [String] { pairs.map(\.value) }

    func value(of state: String) -> String? { pairs.first { $0.name == Self.name(of: state) }?.value }

    func keep(_ value: String, of state: String, in response: inout Response) {
        set(Self.name(of: state), value, maximumAge: 600, in: &response)
        for old in pairs.dropLast(Self.capacity - 1) { set(old.name, "", maximumAge: 0, in: &response) }
    }

    func forget(_ state: String, in response: inout Response) {
        set(Self.name(of: state), "", maximumAge: 0, in: &response)
    }

    private static func name(of state: String) -> String {
        prefix + Base64Text.encode(Array(SHA256.hash(Array(state.utf8)).prefix(16)))
    }

    private func set(_ name: String, _ value: String, maximumAge: Int, in response: inout Response) {
        let attributes = "; Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=Lax"
        response.headers.append(HTTPField(name: .setCookie, value: "\(name)=\(value)\(attributes)"))
    }
}
