import Jansson
import Transport

/// A JSON Web Token within a message, under the name that it has there.
struct NamedToken {
    let name: String
    let token: TokenText

    static func all(in request: RecordedRequest) -> [Self] {
        let parameters = (request.query?.pairs ?? []) + (request.form?.pairs ?? [])
        return parameters.compactMap { Self($0.name, $0.value) } + all(inBody: request.body)
    }

    static func all(in response: OutboundResponse) -> [Self] { all(inBody: response.body) }

    private init?(_ name: String, _ text: String) {
        guard let token = TokenText(text) else { return nil }
        self.name = name
        self.token = token
    }

    private static func all(inBody body: [UInt8]) -> [Self] {
        guard let value = try? JSON.parse(body, maximumBytes: 1 << 20) else { return [] }
        return all(in: value, name: "")
    }

    private static func all(in value: JSON, name: String) -> [Self] {
        switch value {
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { all(in: $0.value, name: $0.key) }
        case .array(let elements): elements.flatMap { all(in: $0, name: name) }
        case .string(let text): [Self(name, text)].compactMap(\.self)
        case .integer, .real, .bool, .null: []
        }
    }
}
