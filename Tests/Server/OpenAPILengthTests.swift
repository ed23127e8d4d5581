import Jansson
import Testing
import Transport

@Suite("Lengths and patterns of the OpenAPI description", .serialized, .timeLimit(.minutes(5)))
struct OpenAPILengthTests {
    @Test("A text of the greatest length is read; a longer, an empty or another one than the pattern is refused")
    func lengths() async throws {
        try await TestServer.open { server in
            let description = try #require(await Description(server))
            var names: Set<String> = []
            for (path, item) in description.document["paths"]?.object ?? [:] {
                guard let media = item["post"]?["requestBody"]?["content"]?["application/json"] else { continue }
                for (_, example) in media["examples"]?.object ?? [:] {
                    let body = try #require(example["value"])
                    for text in description.texts(in: body, media["schema"] ?? .null) {
                        names.insert(text.name)
                        try await Self.check(text, in: body, at: path, of: server)
                    }
                }
            }
            #expect(names.isSuperset(of: ["client_id", "provider", "code", "id_token", "session", "name", "totp"]))
        }
    }

    private static func check(
        _ text: DescribedText, in body: JSON, at path: String, of server: TestServer
    ) async throws {
        func reason(_ value: String) async throws -> String? {
            try await server.person("u1").post(path, text.replaced(by: value, in: body)).reason
        }
        let place: Comment = "\(path), \(text.place)"
        #expect(try await reason("") == "malformed_body", place)
        #expect(try await reason("\u{1}") == "malformed_body", place)
        if let maximum = text.maximum {
            #expect(try await reason(String(repeating: "a", count: maximum + 1)) == "malformed_body", place)
            if text.isFree {
                #expect(try await reason(String(repeating: "a", count: maximum)) != "malformed_body", place)
            }
        }
    }
}

/// A text in the body of a request, and its schema.
private struct DescribedText {
    let place: [String]
    let schema: JSON

    var name: String { place.last ?? "" }
    var maximum: Int? { schema["maxLength"]?.integer.map { Int($0) } }
    /// Whether the pattern only excludes control characters.
    var isFree: Bool { schema["pattern"]?.string?.hasPrefix("^[^") == true }

    func replaced(by text: String, in body: JSON) -> JSON {
        place.count == 1
            ? body.setting(place[0], to: .string(text)) : body.setting(place[0], place[1], to: .string(text))
    }
}

extension Description {
    /// The texts in a body whose schemas have a length or a pattern, without those that may only have one value.
    fileprivate func texts(in body: JSON, _ schema: JSON, at place: [String] = []) -> [DescribedText] {
        let schema = resolved(schema, for: body)
        switch body {
        case .object(let members):
            return members.flatMap { name, member in
                texts(in: member, schema["properties"]?[name] ?? .null, at: place + [name])
            }
        case .string where place.count <= 2 && (schema["maxLength"] ?? schema["pattern"]) != nil:
            return [DescribedText(place: place, schema: schema)]
        default: return []
        }
    }

    /// Follows references, and chooses the alternative that has all members of the value.
    private func resolved(_ schema: JSON, for value: JSON) -> JSON {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            return resolved(document["components"]?["schemas"]?[String(name)] ?? .null, for: value)
        }
        guard let alternatives = schema["oneOf"]?.array else { return schema }
        return alternatives.map { resolved($0, for: value) }.first { alternative in
            let properties = alternative["properties"]?.object ?? [:]
            let names = (value.object ?? [:]).keys
            let constant = resolved(properties["type"] ?? .null, for: .null)["const"]
            return names.allSatisfy { properties[$0] != nil } && (constant == nil || constant == value["type"])
        } ?? .null
    }
}
