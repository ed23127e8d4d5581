internal import Firebase
package import OAuth

extension Corridor {
    /// What the configuration says of a client, and where none is named, of the weakest one: a `client_id`
    /// authenticates nobody.
    package func appCheckRule(of clientID: ClientID?) -> AppCheckRule {
        if let clientID { return clients[clientID]?.appCheck ?? .off }
        let rules = clients.values.map(\.appCheck)
        // One client without the rule is as good for an attacker as all.
        guard !rules.contains(.off) else { return .off }
        var apps: Set<String>? = []
        var isRequired = true
        for rule in rules {
            let named: Set<String>
            switch rule {
            case .off: continue
            case .log(let apps): (named, isRequired) = (apps, false)
            case .required(let apps): named = apps
            }
            // Without names all of the project's applications count.
            apps = named.isEmpty ? nil : apps?.union(named)
        }
        return isRequired ? .required(apps: apps ?? []) : .log(apps: apps ?? [])
    }

    /// Holds the token of `X-Firebase-AppCheck` against the rule.
    ///
    /// - Returns: what is wrong where the rule only asks for a log; nil where nothing is.
    package func checkApp(
        _ token: String?, of clientID: ClientID?
    ) async throws(SignInError) -> AppCheckFailure? {
        switch appCheckRule(of: clientID) {
        case .off: return nil
        case .log(let apps): return await failure(token, apps)
        case .required(let apps):
            if let failure = await failure(token, apps) { throw .appCheck(failure) }
            return nil
        }
    }

    private func failure(_ token: String?, _ apps: Set<String>) async -> AppCheckFailure? {
        guard let appCheck else { preconditionFailure("Who asks for App Check has its keys.") }
        guard let token else { return .missing }
        do {
            _ = try await appCheck.verify(token, apps: apps)
            return nil
        } catch {
            return .invalid(error)
        }
    }
}
