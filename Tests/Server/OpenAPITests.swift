import Jansson
import Support
import Testing
import Transport

@Suite("OpenAPI description", .serialized, .timeLimit(.minutes(5)))
struct OpenAPITests {
    @Test("It is served as JSON")
    func served() async throws {
        try await TestServer.open { server in
            let response = try await server.get("/openapi.json")
            #expect(response.status == 200)
            #expect(response[field: "Content-Type"] == "application/json")
            expectSafeHeader(response)
            let document = try JSON.parse(response.body, maximumBytes: 1 << 20, maximumDepth: 32)
            #expect(document["openapi"]?.string?.hasPrefix("3.1.") == true)
        }
    }

    @Test("Each operation of the description is one that the server has, and the other way round")
    func operations() async throws {
        try await TestServer.open { server in
            let description = try #require(await Description(server))
            var names: Set<String> = []
            for (path, item) in description.document["paths"]?.object ?? [:] {
                let methods = (item.object ?? [:]).keys.map { $0.uppercased() }.sorted()
                let refused = try await server.raw(TestServer.request("TRACE \(path) HTTP/1.1", body: ""))
                let allowed = refused?[field: "Allow"]?.split(separator: ", ").map(String.init).sorted()
                #expect(allowed == methods, "\(path)")
                for (method, operation) in item.object ?? [:] {
                    // The server adds an operation that the file does not describe without a name.
                    let name = try #require(operation["operationId"]?.string, "\(method) \(path)")
                    #expect(names.insert(name).inserted)
                    // It adds the reasons only to operations that it has.
                    let listed = operation["x-reasons"]?.array
                    let reasons = try #require(listed, "\(name)").compactMap(\.string)
                    let types = (operation["requestBody"]?["content"]?.object ?? [:]).keys
                    #expect(types.isEmpty != reasons.contains("unsupported_media_type"), "\(name)")
                    if !types.isEmpty {
                        #expect((Array(types) == ["application/json"]) == reasons.contains("unknown_field"), "\(name)")
                    }
                }
            }
            #expect(names.count > 25)
        }
    }

    @Test("Every reference in the description exists")
    func references() async throws {
        try await TestServer.open { server in
            let document = try JSON.parse(
                try await server.get("/openapi.json").body, maximumBytes: 1 << 20, maximumDepth: 32)
            let references = Self.references(in: document)
            #expect(references.count > 10)
            for reference in references {
                let place = reference.split(separator: "/").dropFirst()
                    .reduce(Optional(document)) { $0?[String($1)] }
                #expect(place != nil, "\(reference)")
            }
        }
    }

    @Test(
        "A request with the required members is accepted; without any one of them it is refused",
        arguments: ["/v1/exchange", "/v1/signin", "/v1/nonce"])
    func required(path: String) async throws {
        try await TestServer.open { server in
            let document = try JSON.parse(
                try await server.get("/openapi.json").body, maximumBytes: 1 << 20, maximumDepth: 32)
            for (schema, body, place) in try Self.bodies(of: path, in: document) {
                let whole = try await server.post(path, body)
                #expect(!["missing_field", "unknown_field", "malformed_body"].contains(whole.reason), "\(whole.text)")
                let required = schema["required"]?.array?.compactMap(\.string) ?? []
                #expect(!required.isEmpty)
                for member in required {
                    let response = try await server.post(path, Self.removing(place + [member], from: body))
                    try expectRefusal(response, "missing_field")
                }
            }
        }
    }

    @Test(
        "The server knows exactly the members of the description",
        arguments: ["/v1/exchange", "/v1/signin", "/v1/nonce"])
    func known(path: String) async throws {
        try await TestServer.open { server in
            let document = try JSON.parse(
                try await server.get("/openapi.json").body, maximumBytes: 1 << 20, maximumDepth: 32)
            for (schema, body, place) in try Self.bodies(of: path, in: document) {
                #expect(schema["additionalProperties"]?.bool == false)
                let stranger = Self.adding("stranger", at: place, to: body)
                let response = try await server.post(path, stranger)
                try expectRefusal(response, "unknown_field")
                let description = response.json?["error_description"]?.string ?? ""
                let list = description.split(separator: ": ").last?.dropLast().split(separator: ", ").map(String.init)
                #expect(Set(list ?? []) == Set((schema["properties"]?.object ?? [:]).keys))
            }
        }
    }

    @Test("It has the guide's table of reasons, and every reason at some operation")
    func reasons() async throws {
        try await TestServer.open { server in
            let description = try #require(await Description(server))
            let rows = description.rows
            #expect(try rows == Contract.rows())
            let paths = description.document["paths"]?.object ?? [:]
            let operations = paths.keys.flatMap(description.operations(at:))
            let named = operations.flatMap { $0["x-reasons"]?.array?.compactMap(\.string) ?? [] }
            // These two belong to no operation.
            #expect(Set(named).union(["not_found", "method_not_allowed"]) == Set(rows.keys))
            for operation in operations { #expect(operation["responses"]?["default"] == nil) }
        }
    }

    @Test("The guide has a cause and a remedy for each reason")
    func guide() throws { #expect(try Set(Contract.explanations().keys) == Set(Contract.rows().keys)) }

    @Test("A refusal that the description does not list is detected")
    func counted() async throws {
        try await TestServer.open { server in
            _ = try await server.exchange(Bodies.inventedCode)
            _ = try await server.get("/callback/yahoo.com?code=c&state=s")
            let counted = CountedRefusal.all(in: try await server.get("/metrics", admin: true).text)
            #expect(
                counted == [
                    CountedRefusal(endpoint: "/v1/exchange", status: 400, reason: "code_rejected"),
                    CountedRefusal(endpoint: "/callback", status: 400, reason: "session_invalid"),
                ])
            let description = try #require(await Description(server))
            for (endpoint, status, reason) in [
                ("/v1/nonce", 400, "code_rejected"), ("/v1/exchange", 401, "code_rejected"),
                ("/device", 400, "expired_token"),
            ] {
                let isDescribed = description.has(CountedRefusal(endpoint: endpoint, status: status, reason: reason))
                #expect(!isDescribed)
            }
        }
    }

    @Test("Every body has examples, and the server reads each of them")
    func examples() async throws {
        try await TestServer.open { server in
            let description = try #require(await Description(server))
            var count = 0
            for (path, item) in description.document["paths"]?.object ?? [:] {
                guard let content = item["post"]?["requestBody"]?["content"]?.object else { continue }
                for (type, media) in content {
                    let examples = media["examples"]?.object ?? [:]
                    #expect(!examples.isEmpty, "\(path)")
                    for (name, example) in examples {
                        let value = try #require(example["value"])
                        let form = value.object?.mapValues { $0.string ?? "" } ?? [:]
                        let response =
                            switch type {
                            case "application/json": try await server.person("u1").post(path, value)
                            case "application/secevent+jwt":
                                try await server.post(path, text: value.string ?? "", type: type)
                            default: try await server.form(path, form)
                            }
                        count += 1
                        #expect(
                            !["malformed_body", "unknown_field", "missing_field", "unknown_credential_type"]
                                .contains(response.reason), "\(path), \(name): \(response.text)")
                        #expect(![415, 500].contains(response.status), "\(path), \(name): \(response.text)")
                    }
                }
            }
            #expect(count > 20)
        }
    }

    @Test("Every response in JSON has examples, an error the text that the server sends")
    func answers() async throws {
        try await TestServer.open { server in
            let description = try #require(await Description(server))
            for (path, item) in description.document["paths"]?.object ?? [:] {
                for (status, response) in item.object?.values.flatMap({ $0["responses"]?.object ?? [:] }) ?? [] {
                    guard let media = response["content"]?["application/json"] else { continue }
                    #expect(media["examples"]?.object?.isEmpty == false, "\(path), \(status)")
                }
            }
            let refused = try await server.post("/v1/nonce", [:])
            let example = description.document["components"]?["examples"]?["missing_field"]?["value"]
            for member in ["error", "error_description", "reason", "code"] {
                #expect(example?[member] != nil && example?[member] == refused.json?[member])
            }
        }
    }

    @Test("Responses have the members of the description")
    func responses() async throws {
        try await TestServer.open { server in
            let document = try JSON.parse(
                try await server.get("/openapi.json").body, maximumBytes: 1 << 20, maximumDepth: 32)
            let schemas = document["components"]?["schemas"]
            let responses = [
                ("CustomTokenResponse", try await server.exchange(try await server.codeBody())),
                ("BegunSignIn", try await server.post("/v1/signin", Bodies.signIn)),
                ("IssuedNonce", try await server.post("/v1/nonce", Bodies.nonce)),
                ("Error", try await server.exchange(Bodies.inventedCode)),
            ]
            Self.expect(responses, of: schemas)
        }
    }

    @Test("Responses about accounts have the members of the description")
    func accountAnswers() async throws {
        try await TestServer.open { server in
            let schemas = try JSON.parse(
                try await server.get("/openapi.json").body, maximumBytes: 1 << 20, maximumDepth: 32)["components"]?[
                    "schemas"]
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            let responses = [
                ("CustomTokenResponse", try await server.post("/v1/anonymous", ["client_id": "my-app"])),
                ("Error", try await alice.link(try await server.xCodeBody(user: "bjorn"))),
                ("MergeResponse", try await alice.merge("from_id_token", bjorn.idToken)),
                ("AccountResponse", try await alice.unlink("twitter.com")),
                ("LinkResponse", try await alice.link(try await server.xCodeBody())),
                ("CustomTokenResponse", try await alice.reauthenticate(try await server.freshCodeBody())),
                ("Account", try #require(try await alice.ask("GET", "/v1/account"))),
                ("Error", try await alice.refresh("r")),
                ("SignOutResponse", try await alice.post("/v1/account/signout", [:])),
            ]
            Self.expect(responses, of: schemas)
        }
    }

    private static func expect(_ responses: [(String, OutboundResponse)], of schemas: JSON?) {
        for (name, response) in responses {
            let members = Set((response.json?.object ?? [:]).keys)
            let required = Set(schemas?[name]?["required"]?.array?.compactMap(\.string) ?? [])
            let known = Set((schemas?[name]?["properties"]?.object ?? [:]).keys)
            #expect(!required.isEmpty && required.isSubset(of: members), "\(name)")
            #expect(members.isSubset(of: known), "\(name)")
        }
    }

    /// Each object of a request, with a valid body that contains it and its path in the body.
    private static func bodies(
        of path: String, in document: JSON
    ) throws -> [(schema: JSON, body: JSON, place: [String])] {
        let schemas = document["components"]?["schemas"]
        switch path {
        case "/v1/nonce": return [(try #require(schemas?["NonceRequest"]), Bodies.nonce, [])]
        case "/v1/signin": return [(try #require(schemas?["SignInRequest"]), Bodies.signIn, [])]
        default:
            let request = try #require(schemas?["ExchangeRequest"])
            let credentials = (schemas?["Credential"]?["oneOf"]?.array ?? []).compactMap { reference in
                reference["$ref"]?.string?.split(separator: "/").last.flatMap { schemas?[String($0)] }
            }
            #expect(credentials.count == 5)
            let pending = try #require(schemas?["PendingCredential"])
            let pendingRequest = try #require(schemas?["PendingRequest"])
            // It stands for its provider.
            let pendingBody: JSON = [
                "client_id": "my-app", "credential": ["type": "pending", "pending_credential": "a.b.c"],
            ]
            return [(request, Bodies.inventedCode, []), (pendingRequest, pendingBody, [])]
                + (credentials + [pending]).map { credential in
                    let type = credential["properties"]?["type"]?["const"] ?? .null
                    var members: [String: JSON] = ["type": type]
                    for member in credential["required"]?.array?.compactMap(\.string) ?? [] where member != "type" {
                        members[member] = "a.b.c"
                    }
                    if type == "authorization_code" { members["nonce"] = "n" }
                    // A provider that takes it.
                    let provider = ["oauth1_token": "twitter.com", "access_token": "asking.example"][type.string ?? ""]
                    return (credential, Bodies.exchange(provider ?? "yahoo.com", .object(members)), ["credential"])
                }
        }
    }

    private static func removing(_ place: [String], from body: JSON) -> JSON {
        place.count == 1 ? body.setting(place[0], to: nil) : body.setting(place[0], place[1], to: nil)
    }

    private static func adding(_ name: String, at place: [String], to body: JSON) -> JSON {
        place.isEmpty ? body.setting(name, to: 1) : body.setting(place[0], name, to: 1)
    }

    private static func references(in document: JSON) -> [String] {
        switch document {
        case .object(let members):
            [members["$ref"]?.string].compactMap(\.self) + members.values.flatMap(references)
        case .array(let elements): elements.flatMap(references)
        default: []
        }
    }
}
