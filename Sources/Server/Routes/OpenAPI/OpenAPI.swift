internal import Jansson

/// The API description in OpenAPI 3.1, which `GET /openapi.json` returns.
enum OpenAPI {
    /// The complete description: ``outline`` with the error responses of each ``Operation`` and examples of requests.
    static let document = String(decoding: completed(outline).serialized(), as: UTF8.self)

    /// The description without error responses and examples.
    private static let outline = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "token-exchange",
            "version": "0.1.0",
            "summary": "Signs users in to Firebase with providers that the Firebase SDK does not support.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
          },
          "paths": {
        \#(paths)
          },
          "components": {
            "securitySchemes": {
              "FirebaseIDToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "The Firebase ID token of the user."}
            },
            "headers": {
              "RetryAfter": {"description": "Seconds until a retry.", "schema": {"type": "integer"}},
              "WWWAuthenticate": {"description": "The authentication scheme and error (RFC 6750 section 3).", "schema": {"type": "string"}}
            },
            "schemas": {
        \#(schemas)
            }
          }
        }
        """#
}

extension OpenAPI {
    /// Adds the error responses of each operation, by status, and the examples of its requests.
    ///
    /// - Parameter outline: The description without them.
    /// - Returns: The complete description, or the outline as a string if it is not a JSON object, which a test
    ///   detects.
    static func completed(_ outline: String) -> JSON {
        guard case .object(var document) = parsed(outline), let paths = document["paths"]?.object
        else { return .string(outline) }
        let examples = parsed(examples)
        document["paths"] = .object(
            paths.mapValues { item in
                .object((item.object ?? [:]).mapValues { completed(operation: $0, examples) })
            })
        return .object(document)
    }

    private static func parsed(_ text: String) -> JSON {
        let octets = Array(text.utf8)
        return (try? JSON.parse(octets, maximumBytes: octets.count, maximumDepth: 32)) ?? .null
    }

    /// Every reason with its status, `error` and Firebase code.
    static let reasonTable: JSON = {
        var rows: [String: JSON] = [:]
        for reason in Reason.allCases {
            rows[reason.rawValue] = .object([
                "status": .integer(Int64(reason.status)), "error": .string(reason.error),
                "code": .string(reason.firebaseCode),
            ])
        }
        return .object(rows)
    }()

    private static func completed(operation content: JSON, _ examples: JSON) -> JSON {
        guard case .object(var members) = content,
            let operation = members["operationId"]?.string.flatMap(Operation.init(rawValue:))
        else { return content }
        var responses = members["responses"]?.object ?? [:]
        for (status, reasons) in Dictionary(grouping: operation.reasons, by: operation.status(of:)) {
            responses[String(status)] = response(of: operation, status, reasons.sorted { $0.rawValue < $1.rawValue })
        }
        members["responses"] = .object(responses)
        members["x-reasons"] = names(operation.reasons.map(\.rawValue))
        if case .object(var body)? = members["requestBody"], let examples = examples[operation.rawValue] {
            body["content"] = .object(
                (body["content"]?.object ?? [:]).mapValues { media in
                    .object((media.object ?? [:]).merging(["examples": examples]) { $1 })
                })
            members["requestBody"] = .object(body)
        }
        return .object(members)
    }

    private static func response(of operation: Operation, _ status: Int, _ reasons: [Reason]) -> JSON {
        var members: [String: JSON] = [
            "description": .string("Error: " + reasons.map(\.rawValue).joined(separator: ", ") + ".")
        ]
        var headers: [String: JSON] = [:]
        if [429, 502, 503].contains(status) || reasons.contains(.secondFactorLocked) {
            headers["Retry-After"] = reference("headers/RetryAfter")
        }
        if operation.returnsPages {
            members["content"] = .object(["text/html": .object([:])])
        } else {
            if status == 401 { headers["WWW-Authenticate"] = reference("headers/WWWAuthenticate") }
            let properties: [String: JSON] = [
                "reason": enumeration(reasons.map(\.rawValue)),
                "error": enumeration(reasons.flatMap(operation.errors(of:))),
                "code": enumeration(reasons.map(\.firebaseCode)),
            ]
            let schema = JSON.object([
                "allOf": .array([reference("schemas/Error"), .object(["properties": .object(properties)])])
            ])
            members["content"] = .object(["application/json": .object(["schema": schema])])
        }
        if !headers.isEmpty { members["headers"] = .object(headers) }
        return .object(members)
    }

    private static func reference(_ name: String) -> JSON { .object(["$ref": .string("#/components/\(name)")]) }

    private static func enumeration(_ texts: [String]) -> JSON { .object(["enum": names(texts)]) }

    private static func names(_ texts: [String]) -> JSON { .array(Set(texts).sorted().map(JSON.string)) }
}
