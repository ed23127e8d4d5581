internal import HTTPTypes
internal import Jansson
internal import Standards

/// The API description in OpenAPI 3.1, which `GET /openapi.json` returns.
///
/// `openapi.json` describes requests and successful responses. The error responses of an operation follow from the
/// reasons that ``Endpoint`` declares: `x-reasons` of a response contains each of its reasons with the possible values of `error`.
enum OpenAPI {
    static let octets = Array(completed(file).serialized())

    /// The content of `openapi.json`, or `null` if it is not JSON, which a test detects.
    static let file: JSON = {
        let octets = PackageResources.openapi_json
        return (try? JSON.parse(octets, maximumBytes: octets.count, maximumDepth: 32)) ?? .null
    }()

    private static func completed(_ file: JSON) -> JSON {
        var document = file
        for endpoint in Endpoint.all {
            for operation in endpoint.operations {
                document.update("paths", endpoint.path, operation.method.rawValue.lowercased()) {
                    complete(&$0, of: operation, at: endpoint)
                }
            }
        }
        document.update("components", "examples") { $0 = errorExamples }
        document.update("components", "schemas", "Error", "properties", "reason") {
            $0.update("enum") { $0 = .array(Reason.allCases.map { .string($0.rawValue) }) }
            $0.update("x-reasons") { $0 = reasonTable }
        }
        return document
    }

    /// Every reason with its status, `error` and Firebase code.
    static let reasonTable = JSON.object(
        Dictionary(
            uniqueKeysWithValues: Reason.allCases.map { reason in
                let row: [String: JSON] = [
                    "status": .integer(Int64(reason.status)), "error": .string(reason.error),
                    "code": .string(reason.firebaseCode),
                ]
                return (reason.rawValue, .object(row))
            }))

    private static func complete(_ content: inout JSON, of operation: Endpoint.Operation, at endpoint: Endpoint) {
        let byStatus = Dictionary(grouping: operation.reasons) { endpoint.status(of: $0) }
        for (status, reasons) in byStatus {
            content.update("responses", String(status)) {
                $0 = response(of: operation, at: endpoint, status, reasons.sorted { $0.rawValue < $1.rawValue })
            }
        }
        content.update("x-reasons") { $0 = names(operation.reasons.map(\.rawValue)) }
    }

    private static func response(
        of operation: Endpoint.Operation, at endpoint: Endpoint, _ status: Int, _ reasons: [Reason]
    ) -> JSON {
        var members: [String: JSON] = [
            "description": .string("Error: " + reasons.map(\.rawValue).joined(separator: ", ") + ".")
        ]
        var headers: [String: JSON] = [:]
        if [429, 502, 503].contains(status) || reasons.contains(.secondFactorLocked) {
            headers["Retry-After"] = reference("headers/RetryAfter")
        }
        if endpoint.isForPeople {
            members["content"] = .object(["text/html": .object(["schema": .object(["type": .string("string")])])])
        } else {
            if status == 401 { headers["WWW-Authenticate"] = reference("headers/WWWAuthenticate") }
            // One schema for all: a generator makes a type of each schema that is written in place.
            var media = ["schema": reference("schemas/Error")]
            media["examples"] = example(of: operation, at: endpoint, status, reasons)
            members["x-reasons"] = .object(
                Dictionary(uniqueKeysWithValues: reasons.map { ($0.rawValue, names(endpoint.errors(of: $0))) }))
            members["content"] = .object(["application/json": .object(media)])
        }
        if !headers.isEmpty { members["headers"] = .object(headers) }
        return .object(members)
    }

    static func reference(_ name: String) -> JSON { .object(["$ref": .string("#/components/\(name)")]) }

    private static func names(_ texts: [String]) -> JSON { .array(Set(texts).sorted().map(JSON.string)) }
}

extension Endpoint {
    private var isToken: Bool { path == Endpoint.token.path }

    func status(of reason: Reason) -> Int {
        reason.status(for: isToken ? .tokenEndpoint : isForPeople ? .person : .application)
    }

    /// Returns the possible values of `error` of this endpoint for a reason.
    ///
    /// At `/token` an invalid subject token is `invalid_request` (RFC 8693 §2.2.2), an invalid code `invalid_grant`. A
    /// conflict that the person did not settle on a page is `access_denied`.
    fileprivate func errors(of reason: Reason) -> [String] {
        if reason == .accountExists, isForPeople { return ["access_denied"] }
        guard isToken else { return [reason.error] }
        if reason == .accountExists { return [reason.error, "access_denied"] }
        return reason.error == "invalid_grant" ? ["invalid_grant", "invalid_request"] : [reason.error]
    }
}

extension JSON {
    /// Changes the member at a path of names; an object that is missing on the way is made.
    fileprivate mutating func update(_ path: String..., by change: (inout JSON) -> Void) {
        update(path[...], by: change)
    }

    private mutating func update(_ path: ArraySlice<String>, by change: (inout JSON) -> Void) {
        guard let name = path.first else { return change(&self) }
        var members = object ?? [:]
        members[name, default: .null].update(path.dropFirst(), by: change)
        self = .object(members)
    }
}
