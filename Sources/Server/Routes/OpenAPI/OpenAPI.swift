internal import Jansson
internal import Standards

/// The API description in OpenAPI 3.1, which `GET /openapi.json` returns.
enum OpenAPI {
    /// The complete description: ``outline`` with the error responses of each ``Operation``, and with examples.
    static let octets = Array(completed(outline).serialized())

    /// The description without error responses and examples.
    private static let outline = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "token-exchange",
            "version": "0.1.0",
            "summary": "Signs users in to Firebase on platforms where the Firebase SDK cannot.",
            "description": "The server counts lengths in octets of UTF-8; maxLength counts characters, which is the same for ASCII.",
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
              "Location": {"description": "The URL to which the browser is redirected.", "schema": {"type": "string"}},
              "RetryAfter": {"description": "Seconds until a retry.", "schema": {"type": "integer", "minimum": 1}},
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
    /// Adds the error responses of each operation, by status, and examples of its requests and responses.
    ///
    /// - Parameter outline: The description without them.
    /// - Returns: The complete description, or the outline as a string if it is not a JSON object, which a test
    ///   detects.
    static func completed(_ outline: String) -> JSON {
        guard case .object(var document) = parsed(outline), let paths = document["paths"]?.object
        else { return .string(outline) }
        let examples = (requests: parsed(examples), answers: parsed(answers))
        document["paths"] = .object(
            paths.mapValues { item in
                .object((item.object ?? [:]).mapValues { completed(operation: $0, examples) })
            })
        var components = document["components"]?.object ?? [:]
        components["examples"] = errorExamples
        document["components"] = .object(components)
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

    private static func completed(operation content: JSON, _ examples: (requests: JSON, answers: JSON)) -> JSON {
        guard case .object(var members) = content,
            let operation = members["operationId"]?.string.flatMap(Operation.init(rawValue:))
        else { return content }
        var responses = (members["responses"]?.object ?? [:]).mapValues {
            adding(examples.answers[operation.rawValue], to: $0)
        }
        let isForm = members["requestBody"]?["content"]?["application/x-www-form-urlencoded"] != nil
        for (status, reasons) in Dictionary(grouping: operation.reasons, by: operation.status(of:)) {
            responses[String(status)] = response(
                of: operation, isForm: isForm, status, reasons.sorted { $0.rawValue < $1.rawValue })
        }
        members["responses"] = .object(responses)
        members["x-reasons"] = names(operation.reasons.map(\.rawValue))
        members["requestBody"] = members["requestBody"].map { adding(examples.requests[operation.rawValue], to: $0) }
        return .object(members)
    }

    /// Adds examples to each media type of a request body or response that has a schema of JSON or of a form.
    private static func adding(_ examples: JSON?, to content: JSON) -> JSON {
        guard let examples, case .object(var members) = content, let types = members["content"]?.object
        else { return content }
        members["content"] = .object(
            Dictionary(
                uniqueKeysWithValues: types.map { type, media in
                    guard type != "text/html", case .object(var media) = media else { return (type, media) }
                    media["examples"] = examples
                    return (type, .object(media))
                }))
        return .object(members)
    }

    private static func response(
        of operation: Operation, isForm: Bool, _ status: Int, _ reasons: [Reason]
    ) -> JSON {
        var members: [String: JSON] = [
            "description": .string("Error: " + reasons.map(\.rawValue).joined(separator: ", ") + ".")
        ]
        var headers: [String: JSON] = [:]
        if [429, 502, 503].contains(status) || reasons.contains(.secondFactorLocked) {
            headers["Retry-After"] = reference("headers/RetryAfter")
        }
        if operation.returnsPages {
            members["content"] = .object(["text/html": .object(["schema": .object(["type": .string("string")])])])
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
            var media = ["schema": schema]
            media["examples"] = example(of: operation, isForm: isForm, status, reasons)
            members["content"] = .object(["application/json": .object(media)])
        }
        if !headers.isEmpty { members["headers"] = .object(headers) }
        return .object(members)
    }

    static func reference(_ name: String) -> JSON { .object(["$ref": .string("#/components/\(name)")]) }

    private static func enumeration(_ texts: [String]) -> JSON {
        .object(["type": .string("string"), "enum": names(texts)])
    }

    private static func names(_ texts: [String]) -> JSON { .array(Set(texts).sorted().map(JSON.string)) }
}

/// The members of a schema, as JSON without braces.
extension OpenAPI {
    /// The type of a text as ``Members`` reads it: 1 to `maximum` octets without control characters.
    static func text(upTo maximum: Int) -> String {
        #""type": "string", "minLength": 1, "maxLength": \#(maximum), "pattern": "^[^\\u0000-\\u001F\\u007F]*$""#
    }

    /// The pattern of a text without spaces and control characters.
    static let word = #"^[^\\u0000-\\u0020\\u007F]*$"#
    /// The pattern of 32 octets in base64url without unused bits (RFC 4648 §3.5).
    static let octets32 = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"
    /// The pattern of a JSON Web Token in the compact serialization (RFC 7515 §7.1); the emulator's has no signature.
    static let jwt = #"^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*$"#
}
