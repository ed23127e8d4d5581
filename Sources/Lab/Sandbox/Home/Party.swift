/// Who sends a message of a run, or gets it.
enum Party: Sendable {
    case application, browser, server, provider, attacker

    var title: String {
        switch self {
        case .application: "Application"
        case .browser: "Browser"
        case .server: "Server"
        case .provider: "Provider"
        case .attacker: "Attacker"
        }
    }
}
