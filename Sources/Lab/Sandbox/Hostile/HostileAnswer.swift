import Jansson

/// What the attacker's server says at one path, to every method and query.
///
/// ```json
/// {"path": "/jwks", "status": 302, "header": {"Location": "http://127.0.0.1:1/"}, "body": "text"}
/// ```
/// `path` alone is required, as it comes over the wire. Unless said otherwise the answer is 200, `application/json`
/// and `{}`.
struct HostileAnswer: Sendable {
    let path: String
    let answer: Answer

    static let usual = Answer(200, header: [("Content-Type", "application/json")], body: Array("{}".utf8))

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        path = try input.requiredString("path")
        guard path.hasPrefix("/"), !path.contains("?") else {
            throw .invalid(member: "path", expected: "a path from its first slash, without a query")
        }
        var answer = Self.usual
        if let status = try input.integer("status", in: 200...599) { answer.status = Int(status) }
        answer.set(try input.strings(in: "header"))
        if let body = try input.string("body") { answer.body = Array(body.utf8) }
        self.answer = answer
        try input.finish()
    }
}
