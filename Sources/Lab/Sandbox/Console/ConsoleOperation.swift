import Jansson

/// A request that the console can build: an operation of the server, or a command of the sandbox that replaces a provider's
/// library or the Firebase SDK.
struct ConsoleOperation: Sendable {
    enum Receiver: Sendable {
        case server, sandbox
    }

    let method: RecordedRequest.Method
    let path: String
    let summary: String
    let receiver: Receiver
    let kind: StepKind
    /// The media type of the body; `nil` if there is none.
    let mediaType: String?
    /// The schema of the body.
    let schema: JSON
    /// The names of the parameters of the query.
    let parameters: [String]
    let examples: [Example]
    let takesBearer: Bool

    /// A group of the list of operations, in its order.
    enum Topic: String, CaseIterable {
        case signIn = "Sign in"
        case device = "Sign in on a device without a browser"
        case account = "Accounts"
        case secondFactor = "Second factors"
        case providerToken = "Tokens of the provider"
        case description = "Description of the server"
        case sandbox = "The provider’s library and Firebase, as stand-ins"
    }

    var topic: Topic {
        if receiver == .sandbox { return .sandbox }
        if path.hasPrefix("/v1/account/factors") { return .secondFactor }
        if path.hasPrefix("/v1/account") { return .account }
        if path.hasPrefix("/v1/provider-token") { return .providerToken }
        if path == "/device_authorization" { return .device }
        return path.hasPrefix("/.well-known/") || path == "/openapi.json" ? .description : .signIn
    }

    struct Example: Sendable {
        let name: String
        let body: JSON
    }

    /// `POST /v1/exchange`.
    var name: String { "\(method.rawValue) \(path)" }
}

/// The operations of the server's API description that answer in JSON, and those of the sandbox.
struct ConsoleDescription: Sendable {
    /// In the order of their paths, those of the sandbox last.
    let operations: [ConsoleOperation]
    private let schemas: JSON

    /// Returns `nil` if the document describes no operation.
    init?(_ document: JSON) {
        schemas = document["components"]?["schemas"] ?? .null
        let described = (document["paths"]?.object ?? [:]).flatMap { path, item in
            (item.object ?? [:]).compactMap { Self.operation($0.key, path, $0.value) }
        }
        guard !described.isEmpty else { return nil }
        operations = described.sorted { ($0.path, $0.method.rawValue) < ($1.path, $1.method.rawValue) } + Self.ofSandbox
    }

    func operation(named name: String) -> ConsoleOperation? {
        operations.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The operation that a recorded request was made for.
    func operation(of request: RecordedRequest) -> ConsoleOperation? {
        let path = "/" + request.endpoint.split(separator: "/").dropFirst(2).joined(separator: "/")
        return operation(named: "\(request.method.rawValue) \(path)")
    }

    /// Follows references, and chooses the alternative that has all members of the value.
    func resolved(_ schema: JSON, for value: JSON) -> JSON {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            return schemas[String(name)].map { resolved($0, for: value) } ?? .null
        }
        guard let alternatives = schema["oneOf"]?.array else { return schema }
        return alternatives.map { resolved($0, for: value) }.first { alternative in
            (value.object ?? [:]).allSatisfy { name, member in
                guard let described = alternative["properties"]?[name] else { return false }
                guard let constant = resolved(described, for: .null)["const"] else { return true }
                return constant == member
            }
        } ?? .null
    }

    private static func operation(_ method: String, _ path: String, _ content: JSON) -> ConsoleOperation? {
        let successes = (content["responses"]?.object ?? [:]).filter { $0.key.hasPrefix("2") }.values
        guard let method = RecordedRequest.Method(rawValue: method.uppercased()), !path.contains("{"),
            successes.contains(where: { $0["content"]?[MediaType.json] != nil })
        else { return nil }
        let body = (content["requestBody"]?["content"]?.object ?? [:]).first
        let reasons = content["x-reasons"]?.array ?? []
        return ConsoleOperation(
            method: method, path: path, summary: content["summary"]?.string ?? "", receiver: .server,
            kind: kinds[content["operationId"]?.string ?? ""] ?? .call, mediaType: body?.key,
            schema: body?.value["schema"] ?? .null,
            parameters: (content["parameters"]?.array ?? []).filter { $0["in"]?.string == "query" }
                .compactMap { $0["name"]?.string },
            examples: (body?.value["examples"]?.object ?? [:]).sorted { $0.key < $1.key }.compactMap { name, example in
                example["value"].map { ConsoleOperation.Example(name: name, body: $0) }
            },
            takesBearer: reasons.contains(.string("id_token_missing")))
    }

    /// The steps that operations are in a sign-in, by their `operationId`; every other operation is a ``StepKind/call``.
    private static let kinds: [String: StepKind] = [
        "exchange": .exchange, "reauthenticate": .exchange, "signin": .signIn, "nonce": .nonce,
        "anonymous": .anonymous, "link": .link, "unlink": .unlink, "merge": .merge, "delete_account": .deletion,
        "add_factor": .factor, "confirm_factor": .confirmation, "token": .redemption,
        "signout": .signOut, "device_authorization": .deviceAuthorization, "metadata": .metadata,
        "openid_configuration": .metadata,
    ]

    /// A provider's library, and the Firebase SDK.
    private static let ofSandbox = [
        ConsoleOperation(
            method: .post, path: "/issue",
            summary: "The provider’s stand-in issues codes and tokens, as if the user had consented.",
            receiver: .sandbox, kind: .library, mediaType: MediaType.json, schema: .null, parameters: [],
            examples: [
                .init(
                    name: "Yahoo",
                    body: .object([
                        "provider": .string("yahoo.com"), "user": .string("alice"), "nonce": .string("n-0S6_WzA2Mj"),
                        "redirect_uri": .string("com.example.app:/yahoo"),
                    ])),
                .init(
                    name: "X, OAuth 1.0a",
                    body: .object([
                        "provider": .string("twitter.com"), "user": .string("alice"), "protocol": .string("oauth1"),
                    ])),
            ], takesBearer: false),
        ConsoleOperation(
            method: .post, path: "/google/sign-in",
            summary: "Firebase’s stand-in exchanges a custom token for a Firebase ID token.",
            receiver: .sandbox, kind: .firebaseSignIn, mediaType: MediaType.json, schema: .null, parameters: [],
            examples: [.init(name: "custom token", body: .object(["token": .string("CUSTOM-TOKEN")]))],
            takesBearer: false),
        ConsoleOperation(
            method: .post, path: "/google/refresh",
            summary: "Firebase’s stand-in exchanges a refresh token for another Firebase ID token.",
            receiver: .sandbox, kind: .refresh, mediaType: MediaType.json, schema: .null, parameters: [],
            examples: [.init(name: "refresh token", body: .object(["refresh_token": .string("REFRESH-TOKEN")]))],
            takesBearer: false),
    ]
}
