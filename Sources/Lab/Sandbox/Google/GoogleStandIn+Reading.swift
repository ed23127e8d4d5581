import Jansson

extension GoogleStandIn {
    /// Reads a JSON body; what nobody asked for is refused, as Google's APIs do.
    func read<Value>(
        _ request: IncomingRequest, _ members: (inout ControlInput) throws(ControlError) -> Value
    ) throws(Refusal) -> Value {
        guard request.mediaType == "application/json", let json = try? JSON.parse(request.body, maximumBytes: 1 << 20)
        else { throw GoogleError.invalidArgument("Invalid JSON payload received.") }
        do throws(ControlError) {
            var input = try ControlInput(json)
            let value = try members(&input)
            try input.finish()
            return value
        } catch {
            switch error {
            case .unknownMember(let name):
                throw GoogleError.invalidArgument(
                    "Invalid JSON payload received. Unknown name \"\(name)\": Cannot find field.")
            case .invalid(let name, let expected):
                throw GoogleError.invalidArgument("Invalid value at '\(name)': expected \(expected)")
            case .notJSON, .refused:
                throw GoogleError.invalidArgument("Invalid JSON payload received.")
            }
        }
    }

    /// The users of a tenant, or of the project itself.
    func pool(_ tenantID: String?) throws(Refusal) -> GoogleUserPool {
        guard let tenantID, !tenantID.isEmpty else { return pools[""] ?? GoogleUserPool() }
        guard let pool = pools[exactly: tenantID] else { throw GoogleError.identity("TENANT_NOT_FOUND") }
        return pool
    }

    /// Runs in between the reading and the writing of a pool.
    func changingPool<Value>(
        _ tenantID: String?, _ change: (inout GoogleUserPool) throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        var pool = try pool(tenantID)
        let value = try change(&pool)
        pools[tenantID ?? ""] = pool
        return value
    }
}
