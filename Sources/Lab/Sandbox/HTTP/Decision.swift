/// What a person chose on a ``ConsentPage``.
enum Decision {
    case allowed(SandboxUser)
    case denied

    /// Nil unless `decision` is `allow` with a known `user`, or `deny`.
    init?(_ parameters: FormParameters) {
        switch parameters["decision"] {
        case "allow":
            guard let user = parameters["user"].flatMap(SandboxUser.init(key:)) else { return nil }
            self = .allowed(user)
        case "deny":
            self = .denied
        default:
            return nil
        }
    }

    /// The form's own fields; all others are those of the request that it answers.
    static let fields: Set<String> = ["user", "decision"]
}
