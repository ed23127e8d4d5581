import Jansson
import Sandbox
import Testing

@Suite("Identity Toolkit for administrators")
struct GoogleAccountTests {
    static func identity(_ provider: String, _ raw: String) -> JSON {
        .object(["providerId": .string(provider), "rawId": .string(raw)])
    }

    static func lookup(_ client: SandboxClient, _ provider: String, _ raw: String) async throws -> [String] {
        let reply = try await client.admin(":lookup", .object(["federatedUserId": .array([identity(provider, raw)])]))
        return (reply.json?["users"]?.array ?? []).compactMap { $0["localId"]?.string }
    }

    static func user(_ client: SandboxClient, _ localID: String, tenant: String? = nil) async throws -> JSON? {
        let query: JSON = .object(["localId": .array([.string(localID)])])
        return try await client.admin(":lookup", query, tenant: tenant).json?["users"]?.array?.first
    }

    @Test("A user is created, found by every identifier, and not found after deletion")
    func life() async throws {
        try await SandboxClient.withSandbox { client in
            let made = try await client.admin(
                "",
                .object([
                    "localId": .string("u1"), "email": .string("U1@Example.com"), "displayName": .string("U"),
                    "phoneNumber": .string("+15555550100"), "photoUrl": .string("https://example.com/u.png"),
                ]))
            #expect(made.status == 200)
            #expect(made.json?["localId"]?.string == "u1")
            for (name, value) in [("localId", "u1"), ("email", "u1@example.COM"), ("phoneNumber", "+15555550100")] {
                let reply = try await client.admin(":lookup", .object([name: .array([.string(value)])]))
                #expect(reply.json?["users"]?.array?.count == 1)
            }
            let user = try await Self.user(client, "u1")
            #expect(user?["email"]?.string == "u1@example.com")
            #expect(user?["emailVerified"]?.bool == false)
            #expect(user?["validSince"]?.string == String(SandboxClient.start))
            #expect(user?["createdAt"]?.string == String(SandboxClient.start * 1000))
            let delete: JSON = .object(["localId": .string("u1")])
            #expect(try await client.admin(":delete", delete).status == 200)
            #expect(try await client.admin(":delete", delete).googleMessage == "USER_NOT_FOUND")
            let none = try await client.admin(":lookup", .object(["localId": .array([.string("u1")])]))
            #expect(none.status == 200)
            #expect(none.json?["users"] == nil)
        }
    }

    @Test("Without a localId the stand-in generates one of 28 characters")
    func chosen() async throws {
        try await SandboxClient.withSandbox { client in
            let made = try await client.admin("", .object([:]))
            #expect(made.json?["localId"]?.string?.count == 28)
        }
    }

    @Test(
        "A value that is taken or malformed is refused with its code",
        arguments: [
            ("localId", "u1", "DUPLICATE_LOCAL_ID"), ("email", "U1@example.com", "EMAIL_EXISTS"),
            ("email", "nobody", "INVALID_EMAIL"), ("email", "a@b@c", "INVALID_EMAIL"),
            ("phoneNumber", "+15555550100", "PHONE_NUMBER_EXISTS"),
            ("phoneNumber", "5555550100", "INVALID_PHONE_NUMBER"), ("password", "12345", "WEAK_PASSWORD"),
            ("displayName", String(repeating: "a", count: 257), "INVALID_PROFILE_ATTRIBUTE"),
            ("photoUrl", String(repeating: "a", count: 2049), "INVALID_PROFILE_ATTRIBUTE"),
        ])
    func refusals(name: String, value: String, code: String) async throws {
        try await SandboxClient.withSandbox { client in
            let first: JSON = .object([
                "localId": .string("u1"), "email": .string("u1@example.com"), "phoneNumber": .string("+15555550100"),
            ])
            #expect(try await client.admin("", first).status == 200)
            let reply = try await client.admin("", .object([name: .string(value)]))
            #expect(reply.status == 400)
            #expect(reply.googleCode == code)
            #expect(try await client.control("GET", "/google/users").array?.count == 1)
        }
    }

    @Test("A federated identity is linked, found, and unlinked; profile attributes are deleted by name")
    func links() async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.admin("", .object(["localId": .string("u1"), "displayName": .string("U")]))
            let linked = try await client.admin(
                ":update",
                .object(["localId": .string("u1"), "linkProviderUserInfo": Self.identity("yahoo.com", "A")]))
            #expect(linked.json?["providerUserInfo"]?.array == [Self.identity("yahoo.com", "A")])
            #expect(try await Self.lookup(client, "yahoo.com", "A") == ["u1"])
            #expect(try await Self.lookup(client, "yahoo.com", "a").isEmpty)
            #expect(try await Self.lookup(client, "twitter.com", "A").isEmpty)
            _ = try await client.admin(
                ":update",
                .object(["localId": .string("u1"), "linkProviderUserInfo": Self.identity("yahoo.com", "B")]))
            #expect(try await Self.lookup(client, "yahoo.com", "A").isEmpty)
            #expect(try await Self.lookup(client, "yahoo.com", "B") == ["u1"])
            _ = try await client.admin(
                ":update",
                .object([
                    "localId": .string("u1"), "deleteProvider": .array([.string("yahoo.com")]),
                    "deleteAttribute": .array([.string("DISPLAY_NAME")]),
                ]))
            #expect(try await Self.lookup(client, "yahoo.com", "B").isEmpty)
            let user = try await Self.user(client, "u1")
            #expect(user?["displayName"] == nil)
            #expect(user?["providerUserInfo"] == nil)
        }
    }

    @Test("Linking an identity of another user is not refused: a lookup finds the new user, and both list it")
    func trap() async throws {
        try await SandboxClient.withSandbox { client in
            for name in ["u1", "u2"] {
                _ = try await client.admin("", .object(["localId": .string(name)]))
                let reply = try await client.admin(
                    ":update",
                    .object(["localId": .string(name), "linkProviderUserInfo": Self.identity("yahoo.com", "A")]))
                #expect(reply.status == 200)
                #expect(try await Self.lookup(client, "yahoo.com", "A") == [name])
            }
            #expect(try await Self.user(client, "u1")?["providerUserInfo"]?.array?.count == 1)
            // Deleting the earlier user still removes it from the index.
            _ = try await client.admin(":delete", .object(["localId": .string("u1")]))
            #expect(try await Self.lookup(client, "yahoo.com", "A").isEmpty)
        }
    }

    @Test(
        "An update with a missing or wrong value is refused with its code",
        arguments: [
            ("{}", "MISSING_LOCAL_ID"), ("{\"localId\": \"u2\"}", "USER_NOT_FOUND"),
            ("{\"localId\": \"u1\", \"linkProviderUserInfo\": {\"rawId\": \"A\"}}", "MISSING_PROVIDER_ID"),
            ("{\"localId\": \"u1\", \"linkProviderUserInfo\": {\"providerId\": \"x\"}}", "MISSING_RAW_ID"),
            ("{\"localId\": \"u1\", \"customAttributes\": \"{\\\"sub\\\": 1}\"}", "FORBIDDEN_CLAIM"),
            ("{\"localId\": \"u1\", \"customAttributes\": \"[1]\"}", "INVALID_CLAIMS"),
            ("{\"localId\": \"u1\", \"customAttributes\": \"nothing\"}", "INVALID_CLAIMS"),
            ("{\"localId\": \"u1\", \"deleteAttribute\": [\"NAME\"]}", "Invalid"),
            ("{\"localId\": \"u1\", \"mfa\": {\"enrollments\": [{\"phoneInfo\": \"1\"}]}}", "Invalid"),
            (
                "{\"localId\": \"u1\", \"customAttributes\": \"\(String(repeating: " ", count: 1001))\"}",
                "CLAIMS_TOO_LARGE"
            ),
        ])
    func updates(body: String, code: String) async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.admin("", .object(["localId": .string("u1")]))
            let reply = try await client.admin(":update", try JSON.parse(Array(body.utf8)))
            #expect(reply.status == 400)
            #expect(reply.googleCode == code)
        }
    }

    @Test("A new address is unverified and ends sessions, unless the request sets other values")
    func address() async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.admin(
                "",
                .object([
                    "localId": .string("u1"), "email": .string("a@example.com"), "emailVerified": .bool(true),
                ]))
            try await client.control("POST", "/clock", .object(["offset_seconds": .integer(10)]))
            _ = try await client.admin(
                ":update", .object(["localId": .string("u1"), "email": .string("b@example.com")]))
            let changed = try await Self.user(client, "u1")
            #expect(changed?["emailVerified"]?.bool == false)
            #expect(changed?["validSince"]?.string == String(SandboxClient.start + 10))
            let said: JSON = .object([
                "localId": .string("u1"), "email": .string("c@example.com"), "emailVerified": .bool(true),
                "validSince": .string("1700000005"),
            ])
            _ = try await client.admin(":update", said)
            let verified = try await Self.user(client, "u1")
            #expect(verified?["emailVerified"]?.bool == true)
            #expect(verified?["validSince"]?.string == "1700000005")
        }
    }

    @Test("Second factors are set and cleared, and deleting the provider password deletes the address")
    func factors() async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.admin(
                "",
                .object([
                    "localId": .string("u1"), "email": .string("a@example.com"), "password": .string("secret"),
                ]))
            func update(_ members: [String: JSON]) async throws -> JSON? {
                let order = JSON.object(members.merging(["localId": .string("u1")]) { $1 })
                #expect(try await client.admin(":update", order).status == 200)
                return try await Self.user(client, "u1")
            }
            let factor: JSON = .object(["phoneInfo": .string("+15555550100")])
            let enrolled = try await update(["mfa": .object(["enrollments": .array([factor])])])
            #expect(enrolled?["mfaInfo"]?.array?.first?["mfaEnrollmentId"]?.string == "factor-1")
            #expect(try await update(["mfa": .object([:])])?["mfaInfo"] == nil)
            let bare = try await update(["deleteProvider": .array([.string("password")])])
            #expect(bare?["email"] == nil)
            #expect(bare?["passwordHash"] == nil)
        }
    }

    @Test("A batch deletion ignores unknown users, and without force it refuses users that are not disabled")
    func batch() async throws {
        try await SandboxClient.withSandbox { client in
            for name in ["u1", "u2"] {
                let made = try await client.admin(
                    "", .object(["localId": .string(name), "disabled": .bool(name == "u2")]))
                #expect(made.status == 200)
            }
            func delete(_ force: Bool) async throws -> JSON? {
                let ids = ["u1", "u2", "u3"].map { JSON.string($0) }
                return try await client.admin(
                    ":batchDelete", .object(["localIds": .array(ids), "force": .bool(force)])
                ).json
            }
            let errors = try await delete(false)?["errors"]?.array
            #expect(errors?.count == 1)
            #expect(errors?.first?["localId"]?.string == "u1")
            #expect(errors?.first?["message"]?.string?.hasPrefix("NOT_DISABLED : ") == true)
            #expect(try await delete(true)?["errors"] == nil)
            #expect(try await client.control("GET", "/google/users").array == [])
        }
    }

    @Test("Users are listed in pages, in the order of their ids, and found by a query with one expression")
    func lists() async throws {
        try await SandboxClient.withSandbox { client in
            for name in ["b", "c", "a"] { _ = try await client.admin("", .object(["localId": .string(name)])) }
            let token = try await client.accessToken(scopes: [SandboxClient.identityToolkit])
            func page(_ query: String) async throws -> Reply {
                try await client.get(
                    client.addresses.google + "/v1/projects/sandbox/accounts:batchGet?" + query,
                    header: ["Authorization: Bearer \(token)"])
            }
            let first = try await page("maxResults=2")
            #expect(first.json?["users"]?.array?.compactMap { $0["localId"]?.string } == ["a", "b"])
            let second = try await page("maxResults=2&nextPageToken=" + (first.json?["nextPageToken"]?.string ?? ""))
            #expect(second.json?["users"]?.array?.compactMap { $0["localId"]?.string } == ["c"])
            #expect(second.json?["nextPageToken"] == nil)
            #expect(try await page("maxResults=1001").status == 400)
            let found = try await client.admin(
                ":query", .object(["expression": .array([.object(["userId": .string("b")])])]))
            #expect(found.json?["userInfo"]?.array?.count == 1)
            #expect(found.json?["recordsCount"]?.string == "1")
        }
    }

    @Test("Each tenant has its own users, and a tenant that is not registered does not exist")
    func tenants() async throws {
        try await SandboxClient.withSandbox { client in
            _ = try await client.admin("", .object(["localId": .string("u1")]), tenant: "tenant-1")
            #expect(try await Self.user(client, "u1", tenant: "tenant-1")?["tenantId"]?.string == "tenant-1")
            #expect(try await Self.user(client, "u1") == nil)
            let other = try await client.admin(":lookup", .object([:]), tenant: "tenant-2")
            #expect(other.googleMessage == "TENANT_NOT_FOUND")
            try await client.control("PUT", "/google/tenants", .object(["tenants": .array([.string("tenant-2")])]))
            #expect(try await client.admin(":lookup", .object([:]), tenant: "tenant-2").status == 200)
            #expect(
                try await client.admin(":lookup", .object([:]), tenant: "tenant-1").googleMessage == "TENANT_NOT_FOUND")
        }
    }

    @Test(
        "Attributes are deleted by name",
        arguments: [
            ("DISPLAY_NAME", "displayName"), ("PHOTO_URL", "photoUrl"), ("EMAIL", "email"),
            ("PASSWORD", "passwordHash"),
        ])
    func attributes(name: String, member: String) async throws {
        try await SandboxClient.withSandbox { client in
            let made: JSON = .object([
                "localId": .string("u1"), "email": .string("a@example.com"), "password": .string("secret"),
                "displayName": .string("U"), "photoUrl": .string("https://example.com/u.png"),
            ])
            #expect(try await client.admin("", made).status == 200)
            let before = try await Self.user(client, "u1")?.object?.keys.sorted() ?? []
            let order: JSON = .object(["localId": .string("u1"), "deleteAttribute": .array([.string(name)])])
            #expect(try await client.admin(":update", order).status == 200)
            let after = try await Self.user(client, "u1")?.object?.keys.sorted() ?? []
            #expect(before.contains(member))
            #expect(!after.contains(member))
        }
    }

    @Test("A deletion must name the users, and at most 1,000 at once")
    func deletions() async throws {
        try await SandboxClient.withSandbox { client in
            let nobody = try await client.admin(":delete", .object([:]))
            #expect(nobody.googleMessage == "MISSING_LOCAL_ID")
            for (count, status) in [(0, 400), (1000, 200), (1001, 400)] {
                let ids = (0..<count).map { JSON.string("u\($0)") }
                let reply = try await client.admin(":batchDelete", .object(["localIds": .array(ids)]))
                #expect(reply.status == status)
            }
        }
    }
}
