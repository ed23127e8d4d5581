import Jansson
import Transport

/// A field of the console's form: a parameter of the query, the bearer token, or a member of the body.
struct ConsoleField: Sendable, Equatable {
    enum Place: String {
        case query, bearer
        /// A member that is a text.
        case text
        /// A member of any other type, as JSON.
        case json
    }

    let place: Place
    /// The names of the member and of the object that contains it, with a period between them.
    let member: String
    var value: String

    /// The name in the form: `text:credential.id_token`.
    var name: String { "\(place.rawValue):\(member)" }
}

/// The fields of an operation, and the request that they stand for.
struct ConsoleForm {
    let operation: ConsoleOperation
    let description: ConsoleDescription

    /// Returns the fields for a body, with empty ones for the members that the body lacks.
    func fields(of body: JSON, query: FormParameters?, bearer: String) -> [ConsoleField] {
        var fields = operation.parameters.map { ConsoleField(place: .query, member: $0, value: query?[$0] ?? "") }
        if operation.takesBearer { fields.append(ConsoleField(place: .bearer, member: "", value: bearer)) }
        guard operation.mediaType != nil else { return fields }
        let members = members(of: body, operation.schema, prefix: "")
        return fields + members.filter { !$0.value.isEmpty } + members.filter(\.value.isEmpty)
    }

    private func members(of body: JSON, _ schema: JSON, prefix: String) -> [ConsoleField] {
        let properties = description.resolved(schema, for: body)["properties"]?.object ?? [:]
        let present = body.object ?? [:]
        return Set(present.keys).union(properties.keys).sorted().flatMap { name -> [ConsoleField] in
            let schema = properties[name] ?? .null
            switch present[name] {
            case .object(let members) where description.resolved(schema, for: .object(members))["properties"] != nil:
                return self.members(of: .object(members), schema, prefix: prefix + name + ".")
            case .string(let text): return [ConsoleField(place: .text, member: prefix + name, value: text)]
            case let value?:
                return [
                    ConsoleField(
                        place: .json, member: prefix + name, value: String(decoding: value.serialized(), as: UTF8.self))
                ]
            case nil:
                let resolved = description.resolved(schema, for: .null)
                guard resolved["properties"] == nil, schema != .null, resolved != .null else { return [] }
                let types = resolved["type"]?.array ?? [resolved["type"] ?? .null]
                let isText = types.contains(.string("string"))
                return [ConsoleField(place: isText ? .text : .json, member: prefix + name, value: "")]
            }
        }
    }

    /// Makes the request of a submitted form, without its empty fields.
    ///
    /// - Parameter origin: The origin of the server, or of the sandbox for its own commands.
    /// - Returns: The request; `nil` if a field that must be JSON is not.
    func request(_ form: FormParameters, to origin: String) -> RecordedRequest? {
        var query: [(String, String)] = []
        var body = JSON.object([:])
        var bearer: String?
        for pair in form.pairs where !pair.value.isEmpty {
            guard let colon = pair.name.firstIndex(of: ":") else { continue }
            let member = String(pair.name[pair.name.index(after: colon)...])
            let path = member.split(separator: ".").map(String.init)
            switch ConsoleField.Place(rawValue: String(pair.name[..<colon])) {
            case .query: query.append((member, pair.value))
            case .bearer: bearer = pair.value
            case .text: body = body.setting(path, to: .string(pair.value))
            case .json:
                // In an array any value is a complete text of JSON.
                guard let array = try? JSON.parse(Array("[\(pair.value)]".utf8)), let value = array.array?.first
                else { return nil }
                body = body.setting(path, to: value)
            case nil: continue
            }
        }
        let url = origin + operation.path + (query.isEmpty ? "" : "?" + FormParameters(query).encoded)
        var request: RecordedRequest
        switch operation.mediaType {
        case MediaType.json?: request = .json(url, body)
        case nil: request = RecordedRequest(method: operation.method, url: url)
        default:
            let pairs = (body.object ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value.string ?? "") }
            request = .form(url, pairs)
        }
        if let bearer { request.header.append(HeaderField("Authorization", "Bearer " + bearer)) }
        return request
    }
}

extension RecordedRequest {
    /// The body as JSON; the parameters of a form as an object of texts.
    var members: JSON {
        if let form { return .object(Dictionary(form.pairs.map { ($0.name, .string($0.value)) }) { $1 }) }
        return (try? JSON.parse(body)) ?? .object([:])
    }

    /// The token of `Authorization: Bearer`; empty if there is none.
    var bearer: String {
        let field = self[field: "authorization"] ?? ""
        return field.hasPrefix("Bearer ") ? String(field.dropFirst(7)) : ""
    }
}

extension JSON {
    /// Returns the object with a member at a path; objects on the way are made.
    fileprivate func setting(_ path: [String], to value: JSON) -> JSON {
        guard let first = path.first else { return value }
        var members = object ?? [:]
        members[first] = (members[first] ?? .object([:])).setting(Array(path.dropFirst()), to: value)
        return .object(members)
    }
}
