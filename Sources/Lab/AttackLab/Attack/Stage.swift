/// Where in a sign-in an attack strikes; the raw value is the section of the catalogue.
package enum Stage: String, CaseIterable, Sendable {
    case start, callback, code, idToken = "id-token", oauth1, oauth2, handoff
    case tokenExchange = "token-exchange", device, link, anonymous, minting, keys, keySets = "key-sets"
    case http, provider, storage, crash, exhaustion, logs

    package var title: String {
        switch self {
        case .start: "The browser flow begins"
        case .callback: "The provider returns"
        case .code: "Authorization codes"
        case .idToken: "ID tokens"
        case .oauth1: "OAuth 1.0a"
        case .oauth2: "OAuth 2.0 of X"
        case .handoff: "Handoff codes"
        case .tokenExchange: "Token exchange (RFC 8693)"
        case .device: "Device grant (RFC 8628)"
        case .link: "Linking and unlinking"
        case .anonymous: "Anonymous accounts"
        case .minting: "Custom tokens and claims"
        case .keys: "Keys and configuration"
        case .keySets: "Discovery and key sets"
        case .http: "HTTP from outside"
        case .provider: "HTTP to the provider"
        case .storage: "Races in storage"
        case .crash: "Restart, crash and clock"
        case .exhaustion: "Exhaustion"
        case .logs: "Logs and privacy"
        }
    }
}
