package import Firebase
package import OAuth

/// The check that a request comes from an application of the project (Firebase App Check).
package struct AppCheckGate: Sendable {
    let registrations: Registrations
    /// Nil if no client has a rule.
    let verifier: AppCheckVerifier?

    /// Returns the rule of a client and, if a request names none, the weakest rule of all clients.
    ///
    /// Requests choose their `client_id` freely, so the weakest rule is the one that an attacker would meet anyway.
    package func rule(of clientID: ClientID?) -> AppCheckRule {
        if let clientID { return registrations.clients[clientID]?.appCheck ?? .off }
        let rules = registrations.clients.values.map(\.appCheck)
        // An attacker would name the one client without a rule.
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
            // A rule without names accepts every application of the project.
            apps = named.isEmpty ? nil : apps?.union(named)
        }
        return isRequired ? .required(apps: apps ?? []) : .log(apps: apps ?? [])
    }

    /// Checks the token of `X-Firebase-AppCheck` by the rule of the client.
    ///
    /// - Returns: The failure if the rule only asks for a log entry; nil if there is none.
    /// - Throws: ``SignInError/appCheck(_:)`` if the rule requires a valid token.
    package func check(
        _ token: String?, of clientID: ClientID?
    ) async throws(SignInError) -> AppCheckRefusal? {
        switch rule(of: clientID) {
        case .off: return nil
        case .log(let apps): return await failure(token, apps)
        case .required(let apps):
            if let failure = await failure(token, apps) { throw .appCheck(failure) }
            return nil
        }
    }

    private func failure(_ token: String?, _ apps: Set<String>) async -> AppCheckRefusal? {
        guard let verifier else { preconditionFailure("A configuration with an App Check rule has its verifier.") }
        guard let token else { return .missing }
        do {
            _ = try await verifier.verify(token, apps: apps)
            return nil
        } catch {
            return .invalid(error)
        }
    }
}

/// Whether a client has to show that it is one of the project's applications (Firebase App Check).
package enum AppCheckRule: Sendable, Equatable {
    case off
    /// A missing or invalid token is logged, and the request continues.
    case log(apps: Set<String>)
    /// A valid token of one of these applications is required; of any application of the project if there are none.
    case required(apps: Set<String>)
}

/// The reason why a request does not come from an application of the project.
package enum AppCheckRefusal: Equatable, Sendable {
    case missing
    case invalid(FirebaseTokenError)
}
