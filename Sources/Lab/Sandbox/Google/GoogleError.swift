import Jansson

/// Google's ways of saying no.
enum GoogleError {
    /// Of Identity Toolkit: the code is the message, perhaps with ` : ` and a detail behind it.
    static func identity(_ message: String) -> Refusal {
        Refusal(.json(body(400, message), status: 400))
    }

    /// Of Google's APIs in general (AIP-193).
    static func api(_ status: Int, _ code: String, _ message: String, header: [(String, String)] = []) -> Refusal {
        Refusal(.json(body(status, message, code), status: status, header: header.map { ($0.0, $0.1) }))
    }

    static func invalidArgument(_ message: String) -> Refusal { api(400, "INVALID_ARGUMENT", message) }

    static func permissionDenied(_ message: String = "The caller does not have permission") -> Refusal {
        api(403, "PERMISSION_DENIED", message)
    }

    /// Of `oauth2.googleapis.com` (RFC 6749 §5.2).
    static func oauth(_ error: String, _ description: String) -> Refusal {
        Refusal(
            .json(.object(["error": .string(error), "error_description": .string(description)]), status: 400))
    }

    static var noKey: Refusal { api(500, "INTERNAL", "No key could be made, or nothing be signed with it.") }

    private static func body(_ status: Int, _ message: String, _ code: String? = nil) -> JSON {
        let reason = status == 400 ? "invalid" : status == 401 ? "authError" : status == 403 ? "forbidden" : "backend"
        let detail: JSON = .object([
            "message": .string(message), "domain": .string("global"), "reason": .string(reason),
        ])
        var error: [String: JSON] = [
            "code": .integer(Int64(status)), "message": .string(message), "errors": .array([detail]),
        ]
        error["status"] = code.map { .string($0) }
        return .object(["error": .object(error)])
    }
}
