internal import Firebase
package import Standards

/// The check that a request comes from an application of the project (Firebase App Check).
package struct AppCheckGate: Sendable {
    let registrations: Registrations
    /// The verifier; `nil` if no client has a rule.
    let verifier: AppCheckVerifier?

    /// Returns the rule of a client and, if a request names none, the weakest rule of all clients.
    ///
    /// A request chooses its `client_id`, so that an attacker would name the client with the weakest rule in any case.
    package func rule(of clientID: ClientID?) -> AppCheckRule {
        if let clientID { return registrations.clients[clientID]?.appCheck ?? .off }
        let rules = registrations.clients.values.map(\.appCheck)
        // An attacker would name a client without a rule.
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
    /// - Returns: The refusal if the rule only requires a log entry; `nil` if there is none.
    /// - Throws: The refusal if the rule requires a valid token.
    package func check(_ token: String?, of clientID: ClientID?) async throws(Refusal) -> Refusal? {
        switch rule(of: clientID) {
        case .off: return nil
        case .log(let apps): return await refusal(token, apps)
        case .required(let apps):
            if let refusal = await refusal(token, apps) { throw refusal }
            return nil
        }
    }

    private func refusal(_ token: String?, _ apps: Set<String>) async -> Refusal? {
        guard let verifier else { preconditionFailure("A configuration with an App Check rule has its verifier.") }
        guard let token else {
            return Refusal(
                .appCheckRequired,
                "The App Check token is missing. Send it in the header field X-Firebase-AppCheck.")
        }
        do {
            _ = try await verifier.verify(token, apps: apps)
            return nil
        } catch .keys(let error) {
            let failure = FirebaseTokenError.keys(error)
            return Refusal(
                .directoryUnavailable,
                "The public keys of App Check cannot be fetched. Retry after the time in Retry-After.",
                finding: failure.sentence, isUnspent: true, cause: failure)
        } catch {
            let description =
                switch error {
                case .mistake(let mistake): mistake.description
                case .appNotAllowed:
                    "The client does not allow the app of the App Check token. Add it to app_check_apps of the client."
                default:
                    "The App Check token has expired, or is of another Firebase project than this server. Get a new one in the app, "
                        + "which has to be configured with this project."
                }
            return Refusal(.appCheckInvalid, description, finding: error.sentence, cause: error)
        }
    }
}

/// The rule of a client for tokens of Firebase App Check.
package enum AppCheckRule: Sendable, Equatable {
    case off
    /// A missing or invalid token is logged, and the request continues.
    case log(apps: Set<String>)
    /// A valid token is required: of one of these applications, or of any application of the project if the set is empty.
    case required(apps: Set<String>)
}
