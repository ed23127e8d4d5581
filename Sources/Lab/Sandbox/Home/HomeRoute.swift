/// A path of the home page.
enum HomeRoute {
    case front, begin, callback, signInCallback, console
    case run(String)
    case poll(String)
    case signOut(String)
    /// The key of a user.
    case reset(String)
    case addFactor(String)
    case replay(String, Int)

    /// Returns `nil` if the path does not belong to the home page.
    init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch parts.count {
        case 1 where path == "/": self = .front
        case 1 where path == "/runs": self = .begin
        case 1 where path == Console.path: self = .console
        case 1 where path == HomeClient.callbackPath: self = .callback
        case 2 where path.hasPrefix(HomeClient.signInCallbackPath): self = .signInCallback
        case 2 where parts[0] == "runs": self = .run(parts[1])
        case 3 where parts[0] == "runs" && parts[2] == "poll": self = .poll(parts[1])
        case 3 where parts[0] == "runs" && parts[2] == "signout": self = .signOut(parts[1])
        case 3 where parts[0] == "users" && parts[2] == "reset": self = .reset(parts[1])
        case 3 where parts[0] == "users" && parts[2] == "factor": self = .addFactor(parts[1])
        case 5 where parts[0] == "runs" && parts[2] == "steps" && parts[4] == "replay":
            guard let number = Int(parts[3]) else { return nil }
            self = .replay(parts[1], number)
        default: return nil
        }
    }

    var methods: [String] {
        switch self {
        case .front, .signInCallback, .run: ["GET"]
        case .callback, .console: ["GET", "POST"]
        case .begin, .poll, .signOut, .reset, .addFactor, .replay: ["POST"]
        }
    }

    /// Whether a page of the server, which has another origin, may post a form here.
    ///
    /// The `state` in the form and the cookie of the run protect it instead.
    var isFromServer: Bool {
        if case .callback = self { true } else { false }
    }

    /// Whether a run in this stage waits for a callback at this path with this `state`.
    ///
    /// For ``signInCallback`` the server checks the `state` against the session.
    func awaits(_ stage: Run.Stage, state: String?) -> Bool {
        switch (self, stage) {
        case (.callback, .awaitingCode(let awaited, _, _)): state?.utf8.elementsEqual(awaited.utf8) == true
        case (.signInCallback, .awaitingCallback): true
        default: false
        }
    }
}

/// Prevents web pages of other origins from using the home page.
enum HomeGuard {
    /// The origin of the home page, always with the name 127.0.0.1, which its redirect URIs and its cookie use.
    ///
    /// Returns `nil` for a foreign `Host`: an attacker's page that rebinds its own name to 127.0.0.1 sends that name.
    static func origin(_ request: IncomingRequest) -> String? {
        guard let host = host(request) else { return nil }
        return "http://127.0.0.1" + host.port
    }

    static func isLocalhost(_ request: IncomingRequest) -> Bool {
        host(request)?.name == "localhost"
    }

    /// Whether a POST request comes from a page of this origin.
    ///
    /// If the browser does not send `Sec-Fetch-Site` (Fetch Metadata §2.3), `Origin` must be absent or equal `origin`.
    static func isFromHere(_ request: IncomingRequest, origin: String) -> Bool {
        let sites = request.fields("sec-fetch-site")
        guard sites.isEmpty else { return sites == ["same-origin"] }
        return request.fields("origin").allSatisfy { $0 == origin }
    }

    private static func host(_ request: IncomingRequest) -> (name: Substring, port: Substring)? {
        let fields = request.fields("host")
        guard fields.count == 1 else { return nil }
        let name = fields[0].prefix { $0 != ":" }
        let port = fields[0].dropFirst(name.count)
        guard name == "127.0.0.1" || name == "localhost",
            port.isEmpty
                || port.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
                    && UInt16(port.dropFirst()) != nil
        else { return nil }
        return (name, port)
    }
}

/// A cookie with the id of a run.
enum HomeCookie: String {
    /// The scenario that the browser started last, which receives its callbacks.
    case scenario = "sandbox_run"
    /// The requests that the browser sent in the console.
    case console = "sandbox_console"

    func setting(_ run: String) -> (name: String, value: String) {
        ("Set-Cookie", "\(rawValue)=\(run); Path=/; HttpOnly; SameSite=Lax")
    }

    func run(_ request: IncomingRequest) -> String? {
        request.cookie(rawValue)
    }
}
