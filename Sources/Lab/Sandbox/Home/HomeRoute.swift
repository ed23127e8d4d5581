/// A path of the home page.
enum HomeRoute {
    case front, begin, callback, signInCallback
    case run(String)
    case poll(String)
    case replay(String, Int)

    /// Nil for a path that is not the home page's.
    init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch parts.count {
        case 1 where path == "/": self = .front
        case 1 where path == "/runs": self = .begin
        case 1 where path == HomeClient.callbackPath: self = .callback
        case 1 where path == HomeClient.signInCallbackPath: self = .signInCallback
        case 2 where parts[0] == "runs": self = .run(parts[1])
        case 3 where parts[0] == "runs" && parts[2] == "poll": self = .poll(parts[1])
        case 5 where parts[0] == "runs" && parts[2] == "steps" && parts[4] == "replay":
            guard let number = Int(parts[3]) else { return nil }
            self = .replay(parts[1], number)
        default: return nil
        }
    }

    var method: String {
        switch self {
        case .front, .callback, .signInCallback, .run: "GET"
        case .begin, .poll, .replay: "POST"
        }
    }

    /// Whether a run at that stage waits for a callback at this path, with this `state`.
    ///
    /// The `state` of ``signInCallback`` is the server's, which checks it against the session.
    func awaits(_ stage: Run.Stage, state: String?) -> Bool {
        switch (self, stage) {
        case (.callback, .awaitingCode(let awaited, _, _)): state?.utf8.elementsEqual(awaited.utf8) == true
        case (.signInCallback, .awaitingCallback): true
        default: false
        }
    }
}
