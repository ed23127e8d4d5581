import Fixtures
import Foundation
import JOSE
import Jansson
import Standards
import Testing

@testable import token_exchange

@Suite("accounts import", .timeLimit(.minutes(5)))
struct ImportAccountsTests {
    private static let hash = "aHVzaC1wYXNzd29yZC1oYXNo"

    private static func users(_ users: String...) -> String {
        "{\"users\": [\n\(users.joined(separator: ",\n"))\n]}"
    }

    /// A record of the Admin SDK.
    private static let record =
        #"{"uid":"u1","email":"a@b.example","emailVerified":true,"providerData":[{"uid":"RAW1","providerId":"yahoo.com"}]}"#
    private static let listUsers =
        "has a list of users with uid. If it is the output of listUsers of the Admin SDK, run firebase auth:export users.json, and "
        + "import its file; if it is that of accounts export, write one account in each line"

    /// The uid has the name of an export, and the links have that of the Admin SDK.
    private static let listUsersWithLocalID = listUsers.replacing("with uid", with: "with providerData")

    private static let sample = users(
        #"{"localId": "twitter:783214", "displayName": "Anna", "createdAt": "1485378000123"}"#,
        #"{"localId": "yahoo.com:UQ12", "email": "Bert@Example.com", "emailVerified": true, "createdAt": "1485378000123"}"#,
        #"{"localId": "yahoo:UQ13"}"#)

    @Test("Exported accounts can be imported unchanged")
    func roundTrip() async throws {
        let installation = try await Installation.withAccounts()
        let exported = try await installation.run("accounts", "export")
        #expect(exported.status == 0)
        let other = try await Installation.withAccounts(exported.output.split(separator: "\n").map(String.init))
        #expect(try await other.run("accounts", "export").output == exported.output)
        #expect(exported.output.split(separator: "\n").count == 3)
    }

    @Test("A repeated import adds nothing")
    func repeated() async throws {
        let installation = try await Installation.withAccounts()
        let file = try installation.file(Installation.accounts.joined(separator: "\r\n") + "\n\n")
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == 0)
        #expect(
            outcome.output
                == "added: 0, skipped (already there): 3, left out (nothing to link): 0, conflicts: 0\n")
    }

    @Test("Users with a uid as in Firebase's samples keep it and are linked to the provider in the uid")
    func samples() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(Self.sample)
        for line in ["added: 3, skipped (already there): 0", "added: 0, skipped (already there): 3"] {
            let outcome = try await installation.run("accounts", "import", file)
            #expect(outcome.status == 0)
            #expect(outcome.output.hasPrefix(line), "\(outcome.output)")
        }
        let accounts = try await installation.listed()
        #expect(accounts["twitter:783214"]?.identities == ["twitter.com 783214"])
        #expect(accounts["twitter:783214"]?["created_at"] == .integer(1_485_378_000))
        #expect(accounts["yahoo.com:UQ12"]?.identities == ["yahoo.com UQ12"])
        #expect(accounts["yahoo.com:UQ12"]?["email"] == .string("bert@example.com"))
        #expect(accounts["yahoo:UQ13"]?.identities == ["yahoo.com UQ13"])
    }

    @Test(
        "Users of a tenant that the configuration does not have are named, before anything is added",
        arguments: [
            (nil, "abc-123", "has no tenant"), ("other-9", "abc-123", "has other-9"), ("abc-123", "abc-123", nil),
        ] as [(String?, String, String?)])
    func tenant(configured: String?, of user: String, found: String?) async throws {
        let installation = try await Installation.withAccounts([])
        if let configured {
            try installation.write(
                installation.yaml.replacing("firebase:\n", with: "firebase:\n  tenant_id: \(configured)\n"))
        }
        let file = try installation.file(
            Self.users(
                #"{"localId": "twitter:1"}"#, #"{"localId": "twitter:783214", "tenantId": "\#(user)"}"#))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == (found == nil ? 0 : 1))
        if let found {
            #expect(
                outcome.errors.contains(
                    "the file has users of the tenant \(user), and the configuration \(found): write firebase.tenant_id: \(user)"
                ))
        }
        #expect(try await installation.listed().count == (found == nil ? 2 : 0))
    }

    @Test("A file of CSV is named")
    func csv() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file("UID,Email,Email Verified\nx,ann@example.org,true\n")
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains(
                "it does not begin with {, as a JSON object does. If it is CSV, run firebase auth:export users.json, which writes "
                    + "JSON"))
    }

    @Test("The commands that repair a file write another one, because the shell empties the file before jq reads it")
    func repaired() async throws {
        let installation = try await Installation.withAccounts([])
        for content in [#"[{"localId":"yahoo.com:A1"}]"#, #"{"localId":"u1"}"# + "\n" + #"{"localId":"u2"}"#] {
            let outcome = try await installation.run("accounts", "import", try installation.file(content))
            #expect(outcome.errors.contains(" > NEWFILE, and import NEWFILE. Nothing was imported"))
        }
    }

    @Test(
        "A file that has no account, and a list of Firebase users, are named",
        arguments: [
            (#"{"signIn":{"allowDuplicateEmails":false}}"#, "has no account: no line has the member uid"),
            (#"{"user_id":"google-oauth2|108","email":"a@b.example","identities":[]}"#, "has no account"),
            (#"[{"localId":"yahoo.com:A1"}]"#, "is a list of Firebase users"),
            ("[\n {\"localId\": \"yahoo.com:A1\"}\n]", "is a list of Firebase users"),
            ("", "is empty, or has only blank lines"), ("\u{FEFF} \t\r\n\n", "is empty, or has only blank lines"),
        ])
    func otherFiles(content: String, problem: String) async throws {
        let installation = try await Installation.withAccounts([])
        let outcome = try await installation.run("accounts", "import", try installation.file(content))
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(problem))
    }

    @Test("A list of users that says that there is none is imported")
    func noUsers() async throws {
        let installation = try await Installation.withAccounts([])
        let outcome = try await installation.run("accounts", "import", try installation.file(#"{"users": []}"#))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "added: 0, skipped (already there): 0, left out (nothing to link): 0, conflicts: 0\n")
    }

    @Test("A compressed file is named, and not as CSV")
    func compressed() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file("")
        try Data([0x1F, 0x8B, 0x08, 0x00]).write(to: URL(filePath: file))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == 1 && outcome.errors.contains("is compressed: unpack it with gzip -dc"))
    }

    @Test("A name that cannot be represented costs only the name")
    func oddName() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(Self.users(#"{"localId": "yahoo.com:Y1", "displayName": "Ana \ud83d"}"#))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.output.contains("added: 1"))
    }

    @Test("Users without anything to link are left out, and a note names the first ten")
    func unlinked() async throws {
        let installation = try await Installation.withAccounts([])
        let users = (10...21).map {
            #"{"localId": "u\#($0)", "providerUserInfo": [{"providerId": "phone", "rawId": "+123456789\#($0)"}]}"#
        }
        let file = try installation.file(#"{"users": [\#(users.joined(separator: ","))]}"#)
        let outcome = try await installation.run("accounts", "import", file)
        #expect(
            outcome.output.contains(
                "a phone number): u10, u11, u12, u13, u14, u15, u16, u17, u18, u19 and 2 more\n"),
            "\(outcome.output)")
        #expect(outcome.output.contains("left out (nothing to link): 12"))
    }

    @Test("--map assigns a prefix of uids to a provider")
    func map() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(Self.users(#"{"localId": "x:1"}"#, #"{"localId": "line:U1"}"#))
        let outcome = try await installation.run("accounts", "import", file, "--map", "x=twitter.com")
        #expect(outcome.output.contains("added: 1, skipped (already there): 0, left out (nothing to link): 1"))
        #expect(outcome.output.hasPrefix("left out: line:U1: the provider line is not configured (twitter.com, yahoo"))
        #expect(try await installation.listed()["x:1"]?.identities == ["twitter.com 1"])
        let unknown = try await installation.run("accounts", "import", file, "--map", "x=x.com")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("is not configured"))
    }

    @Test("An identity of a provider that is not configured is refused, unless --map names the provider that is meant")
    func unknownProvider() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(#"{"uid": "a", "identities": [{"provider": "Yahoo", "provider_uid": "1"}]}"#)
        let refused = try await installation.run("accounts", "import", file)
        #expect(refused.status == 1)
        #expect(
            refused.output.hasPrefix(
                "conflict: a: the provider Yahoo is not configured (twitter.com, yahoo.com); configure it, or name the one "
                    + "that is meant with --map Yahoo=PROVIDER\n"), "\(refused.output)")
        let mapped = try await installation.run("accounts", "import", file, "--map", "Yahoo=yahoo.com")
        #expect(mapped.status == 0)
        #expect(try await installation.listed()["a"]?.identities == ["yahoo.com 1"])
    }

    @Test("Users that Firebase links to a configured provider keep their uid with that identity")
    func native() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(
            Self.users(
                """
                {"localId": "abcdefghijklmnopqrstuvwxyz12", "passwordHash": "\(Self.hash)", "disabled": true,
                 "email": "anna@example.com", "emailVerified": false,
                 "providerUserInfo": [{"providerId": "twitter.com", "rawId": "1", "displayName": "Anna"}]}
                """,
                """
                {"localId": "bbcdefghijklmnopqrstuvwxyz12",
                 "providerUserInfo": [{"providerId": "google.com", "rawId": "1"}, {"providerId": "yahoo.com", "rawId": "2"}]}
                """,
                #"{"localId": "cbcdefghijklmnopqrstuvwxyz12", "email": "a@b.c", "emailVerified": false}"#))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("added: 2, skipped (already there): 0, left out (nothing to link): 1"))
        let accounts = try await installation.listed()
        let anna = try #require(accounts["abcdefghijklmnopqrstuvwxyz12"])
        #expect(anna.identities == ["twitter.com 1"])
        #expect(anna["other_way_in"] == .bool(true))
        #expect(anna["disabled"] == .bool(true))
        #expect(anna["email"] == nil, "It was never verified.")
        #expect(accounts["bbcdefghijklmnopqrstuvwxyz12"]?.identities == ["yahoo.com 2"])
        #expect(accounts["bbcdefghijklmnopqrstuvwxyz12"]?["other_way_in"] == .bool(true))
        #expect(try await installation.run("accounts", "export").hides(Self.hash))
        #expect(outcome.hides(Self.hash))
    }

    @Test(
        "A link of Microsoft gets the tenant if there is exactly one, and is otherwise another sign-in method, with a note",
        arguments: [
            ("tenants: [11111111-2222-3333-4444-555555555555]", true),
            ("issuer: https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0", true),
            ("tenants: any", false),
            ("tenants: [11111111-2222-3333-4444-555555555555, 9188040d-6c67-4c5b-b112-36a304b66dad]", false),
        ])
    func tenants(_ line: String, _ isKnown: Bool) async throws {
        let installation = try await Installation.withAccounts([])
        let section = "  microsoft.com:\n    \(line)\n    client_id: a1b2\n    client_secret: env:X_SECRET\n"
        let yaml = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        try installation.write(yaml.replacing("providers:\n", with: "providers:\n" + section))
        let object = "00000000-0000-0000-66f3-3332eca7ea81"
        let file = try installation.file(
            Self.users(
                """
                {"localId": "abcdefghijklmnopqrstuvwxyz12", "email": "ann@example.org", "emailVerified": true,
                 "providerUserInfo": [{"providerId": "microsoft.com", "rawId": "\(object)"}]}
                """))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == 0 && outcome.output.contains("added: 1"), "\(outcome.errors)\(outcome.output)")
        let account = try await installation.listed()["abcdefghijklmnopqrstuvwxyz12"]
        #expect(
            account?.identities
                == (isKnown ? ["microsoft.com 11111111-2222-3333-4444-555555555555:\(object)"] : []))
        #expect(
            outcome.output.hasPrefix(
                "note: links of microsoft.com were imported as another sign-in method, because Firebase's export has no "
                    + "tenants") == !isKnown)
    }

    @Test("Accounts that cannot be added are listed with the reason, the others are added, and the exit code is 1")
    func conflicts() async throws {
        let installation = try await Installation.withAccounts()
        let file = try installation.file(
            Self.users(
                #"{"localId": "twitter:783214"}"#, #"{"localId": "yahoo:good"}"#,
                #"{"localId": "bert", "providerUserInfo": [{"providerId": "yahoo.com", "rawId": "B"}]}"#,
                #"{"localId": "yahoo:1", "providerUserInfo": [{"providerId": "yahoo.com", "rawId": "2"}]}"#,
                #"{"localId": "yahoo:mfa", "mfaInfo": [{"mfaEnrollmentId": "1"}]}"#,
                #"{"localId": "\#(String(repeating: "a", count: 129))"}"#, #"{"email": "a@b.c"}"#))
        let outcome = try await installation.run("accounts", "import", file, "--json")
        #expect(outcome.status == 1)
        let summary = try JSON.parse(Array(outcome.output.utf8))
        #expect(summary["added"] == .integer(1))
        let reasons = (summary["conflicts"]?.array ?? []).map {
            "\(($0["uid"]?.string ?? "").prefix(20)): \($0["reason"]?.string ?? "")"
        }
        #expect(
            reasons == [
                "twitter:783214: its identity twitter.com 783214 is linked to the account anna; if a sign-in before the import "
                    + "made that one, delete it and import again",
                "bert: exists without its identity yahoo.com B; add it with token-exchange accounts link",
                "yahoo:1: has two identities of yahoo.com, 2 and 1, and can have only one: remove one of them from the file",
                "yahoo:mfa: has a second factor, which a custom token would bypass",
                "aaaaaaaaaaaaaaaaaaaa: the uid does not have 1 to 128 characters",
                "user 7: the localId is missing or invalid",
            ])
        #expect(try await installation.listed()["yahoo:good"]?.identities == ["yahoo.com good"])
    }

    @Test("An account whose list of sign-in methods contains other values than texts is refused")
    func signInMethods() async throws {
        let installation = try await Installation.withAccounts()
        for ways in [#""password""#, #"["password", 5]"#] {
            let file = try installation.file(#"{"uid": "w", "ways_in": \#(ways)}"# + "\n")
            let outcome = try await installation.run("accounts", "import", file)
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("ways_in is missing or invalid"), "\(outcome.output)")
        }
        #expect(try await installation.listed()["w"] == nil)
    }

    @Test("A dry run prints the same result and writes nothing")
    func dryRun() async throws {
        let installation = try await Installation.withAccounts()
        let file = try installation.file(
            Self.users(
                #"{"localId": "twitter:783214"}"#, #"{"localId": "yahoo:A"}"#, #"{"localId": "yahoo.com:A"}"#,
                #"{"localId": "yahoo:A"}"#))
        let outcome = try await installation.run("accounts", "import", file, "--dry-run")
        #expect(outcome.status == 1)
        #expect(
            outcome.output == """
                conflict: twitter:783214: its identity twitter.com 783214 is linked to the account anna; if a sign-in before the import \
                made that one, delete it and import again
                conflict: yahoo.com:A: its identity yahoo.com A is linked to the account yahoo:A; if a sign-in before the import \
                made that one, delete it and import again
                would be added: 1, skipped (already there): 1, left out (nothing to link): 0, conflicts: 2

                """)
        #expect(try await installation.listed().count == 3)
    }

    @Test("A dry run counts users that are several times in the file as the import does")
    func repeatedUsers() async throws {
        let linked = #"{"localId":"u1","providerUserInfo":[{"providerId":"yahoo.com","rawId":"Y1"}]}"#
        let more = #"{"localId":"u1","providerUserInfo":[{"providerId":"twitter.com","rawId":"17"}]}"#
        let other = #"{"localId":"u1","providerUserInfo":[{"providerId":"yahoo.com","rawId":"Y3"}]}"#
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(
            Self.users(linked, #"{"localId":"yahoo:Y2"}"#, linked, #"{"localId":"yahoo:Y2"}"#, more, other))
        let foreseen = try await installation.run("accounts", "import", file, "--dry-run")
        let done = try await installation.run("accounts", "import", file)
        let conflict = "u1: is in the file more than once, and is without its identity"
        #expect(
            foreseen.output == """
                conflict: \(conflict) twitter.com 17; add it with token-exchange accounts link
                conflict: \(conflict) yahoo.com Y3; it has another one of yahoo.com, and can have only one; \
                token-exchange accounts link --replace puts this one in its place
                would be added: 2, skipped (already there): 2, left out (nothing to link): 0, conflicts: 2

                """)
        #expect(done.output == foreseen.output.replacing("would be added", with: "added"))
        #expect(done.status == foreseen.status)
    }

    @Test(
        "A file in another format is refused as a whole",
        arguments: [
            (
                "{\"uid\": \"a\"}\n{\"uid\": ",
                "line 2 is cut off (column 8): copy the whole text, or export it again. Nothing was imported"
            ),
            ("{\"users\": 1}", "no member users has a list, as firebase auth:export writes it. If the file is of"),
            // Keycloak and Cognito.
            (#"{"Users":[{"Username":"ana"}]}"#, "write one line for each user, with uid and identities"),
            (#"{"users":[\#(record)]}"#, listUsers), ("[\(record)]", listUsers), ("[\n\(record)\n]", listUsers),
            (#"{"users":[{"localId":"u1"},{"localId":"u2","providerData":[]}]}"#, listUsersWithLocalID),
            // The list of users without the object, as jq -c '.users[]' writes it.
            (#"{"localId":"u1"}"# + "\n" + #"{"localId":"u2"}"#, "jq -s '{users: .}'"),
            ("[1]\n[2]", "line 1 is a list, and must be one JSON object in braces. Nothing was imported"),
            // An export that was interrupted.
            (
                "{\"users\": [\n{\"localId\": \"u1\"},\n",
                "it is cut off (line 3, column 0): copy the whole text, or export"
            ),
            // firebase-tools 7.3 wrote only the first user, and not the end of the list.
            (
                "{\"users\": [\n{\"localId\": \"u1\", \"providerUserInfo\": []\n}\n",
                "it is cut off (line 4, column 0): copy"
            ),
            (#"{"users":[{"localId":"u1",}]}"#, "(line 1, column 27): look there and just before for a comma,"),
            ("hello", "is neither JSON Lines"), ("{\n\"users\": [\n{} {}]}", "is not JSON (line 3, column 4)"),
        ])
    func noFile(text: String, message: String) async throws {
        let installation = try await Installation.withAccounts([])
        let outcome = try await installation.run("accounts", "import", installation.file(text))
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try await installation.listed().isEmpty)
        #expect(try await installation.run("accounts", "import", installation.folder.path + "/none").status == 1)
    }

    @Test(
        "A line with a member of Firebase's users is refused with the whole file",
        arguments: [
            (record, "providerData"), (#"{"uid":"u1","email":"a@b.example","emailVerified":false}"#, "emailVerified"),
            (#"{"uid":"u1","email":"a@b.example","email_verified":"true"}"#, "email_verified"),
            (#"{"uid":"u1","multiFactor":{"enrolledFactors":[{"uid":"f1"}]}}"#, "multiFactor"),
            (#"{"uid":"u1","mfaInfo":[]}"#, "mfaInfo"),
            (#"{"uid":"u1","localId":"u1","providerUserInfo":[]}"#, "providerUserInfo"),
        ])
    func recordLine(line: String, member: String) async throws {
        let installation = try await Installation.withAccounts([])
        let path = try installation.file(#"{"uid":"a"}"# + "\n\n" + line)
        let outcome = try await installation.run("accounts", "import", path)
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(
            outcome.errors.contains(
                "\(path): line 3 has the member \(member), which accounts export does not write, and which would be ignored. If the "
                    + "file is the output of listUsers of the Admin SDK, run firebase auth:export users.json, and import its file. "
                    + "If you write the lines yourself, write uid, identities and, only if the provider has verified it, email. "
                    + "Nothing was imported"), "\(outcome.errors)")
        #expect(try await installation.listed().isEmpty)
    }

    @Test("Accounts that no sign-in finds are noted")
    func withoutIdentities() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(
            """
            {"uid": "a", "provider": "yahoo.com", "provider_uid": "1"}
            {"uid": "b", "anonymous": true}
            {"uid": "c", "other_way_in": true}
            """)
        let outcome = try await installation.run("accounts", "import", file)
        #expect(
            outcome.output == """
                note: accounts that no sign-in finds: 1. Write identities, a list of objects with provider and provider_uid, in \
                their lines
                added: 3, skipped (already there): 0, left out (nothing to link): 0, conflicts: 0

                """)
    }

    @Test("A line may say that its address is verified")
    func verifiedLine() async throws {
        let installation = try await Installation.withAccounts([])
        for (uid, member) in [("a", "emailVerified"), ("b", "email_verified")] {
            let file = try installation.file(
                #"{"uid":"\#(uid)","email":"\#(uid)@b.example","\#(member)":true,"other_way_in":true}"#)
            #expect(try await installation.run("accounts", "import", file).output.hasPrefix("added: 1,"))
        }
    }

    @Test(
        "A line that is not a valid account is a conflict",
        arguments: [
            (#"{"uid": ""}"#, "the uid does not have 1 to 128 characters"),
            // Firebase's SDKs count UTF-16 code units.
            (#"{"uid": "\#(String(repeating: "\u{1F600}", count: 65))"}"#, "the uid does not have 1 to 128 characters"),
            (#"{"created_at": 1}"#, "the uid is missing"),
            (#"{"uid": "a", "created_at": "1"}"#, "created_at (seconds since 1970) is missing"),
            (#"{"uid": "a", "created_at": 1754000000000}"#, "created_at (seconds since 1970) is missing"),
            (
                #"{"uid": "a", "identities": {"provider": "yahoo.com", "provider_uid": "1"}}"#,
                "identities (a list of objects with provider and provider_uid) is missing"
            ),
            (#"{"uid": "a", "disabled": 1}"#, "disabled is missing"),
            (#"{"uid": "a", "email": "b"}"#, "email is missing"),
            (#"{"uid": "a", "identities": [{"provider": "x", "provider_uid": "1"}]}"#, "provider x is not configured"),
            (#"{"uid": "a", "identities": [{"provider": "x"}]}"#, "provider_uid is missing"),
            (#"{"uid": "a", "identities": [{"provider_uid": "x"}]}"#, "provider is missing"),
            (
                #"{"uid": "a", "identities": [{"provider": "yahoo.com", "provider_uid": "1"}, {"provider": "yahoo.com", "provider_uid": "2"}]}"#,
                "has two identities of yahoo.com, 1 and 2, and can have only one: remove one of them from the file"
            ),
        ])
    func badLine(line: String, message: String) async throws {
        let installation = try await Installation.withAccounts([])
        let outcome = try await installation.run("accounts", "import", installation.file(line))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains(message), "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("conflicts: 1\n"))
    }

    @Test(
        "Links in another form than that of an export are named, and other users are imported",
        arguments: [
            #"{"providerId": "twitter.com", "rawId": "1"}"#, #"[{"providerId": "twitter.com"}]"#, #"["twitter.com"]"#,
            #"[{"rawId": "1"}]"#, #""twitter.com""#,
            #"[{"providerId": "twitter.com", "rawId": 12345}]"#,
        ])
    func malformedLinks(_ links: String) async throws {
        let installation = try await Installation.withAccounts([])
        let outcome = try await installation.run(
            "accounts", "import",
            installation.file(
                Self.users(
                    #"{"localId": "broken", "providerUserInfo": \#(links)}"#,
                    #"{"localId": "whole", "providerUserInfo": [{"providerId": "twitter.com", "rawId": "2"}]}"#)))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("providerUserInfo (a list of objects with providerId and rawId)"))
        #expect(outcome.output.contains("broken") && outcome.output.contains("added: 1,"), "\(outcome.output)")
    }

    @Test("Users as Firebase, its emulator and own programs write them are imported")
    func oddUsers() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(
            Self.users(
                """
                {"localId": "a", "createdAt": 1485378000123, "disabled": false, "mfaInfo": [],
                 "customAttributes": "{\\"admin\\":true}", "email": "a@x.example", "emailVerified": "true", "providerUserInfo": [
                  {"providerId": "twitter.com", "rawId": "1"}, {"providerId": "phone", "federatedId": ""},
                  {"providerId": "password", "federatedId": "a@x.example", "rawId": "a@x.example"}]}
                """,
                """
                {"localId": "b", "createdAt": "1485378000123000", "providerUserInfo": [{"providerId": "twitter.com", "rawId": "2"},
                 {"providerId": "phone", "federatedId": "+5511", "rawId": "+5511", "phoneNumber": "+5511"}]}
                """))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.output == "added: 2, skipped (already there): 0, left out (nothing to link): 0, conflicts: 0\n")
        let accounts = try await installation.listed()
        #expect(accounts["a"]?.identities == ["twitter.com 1"] && accounts["b"]?.identities == ["twitter.com 2"])
        #expect(accounts["a"]?["ways_in"] == .array([.string("password"), .string("phone")]))
        #expect(accounts["b"]?["ways_in"] == .array([.string("phone")]) && accounts["a"]?["email"] == nil)
        #expect(accounts["a"]?["created_at"] == .integer(1_485_378_000))
        // A number of microseconds would be a date in the year 49039; this one is before 2100.
        #expect(accounts["b"]?["created_at"]?.integer ?? .max < 4_102_444_800)
    }

    @Test(
        "What keeps a user out is never passed over because of its form",
        arguments: [
            (#""disabled": "true""#, "disabled (true or false) is missing or invalid"),
            (#""disabled": 1"#, "disabled (true or false) is missing or invalid"),
            (#""disabled": true, "disabled": false"#, "disabled (true or false) is missing or invalid"),
            (#""mfaInfo": {"mfaEnrollmentId": "1"}"#, "has a second factor, which a custom token would bypass"),
        ])
    func barred(_ members: String, _ reason: String) async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(Self.users(#"{"localId": "yahoo:A", \#(members)}"#))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == 1 && outcome.output.hasPrefix("conflict: yahoo:A: \(reason)\n"), "\(outcome.output)")
        #expect(try await installation.listed().isEmpty)
    }

    @Test("An answer of Identity Toolkit that names a further page is noted as a part")
    func page() async throws {
        let note =
            "note: the file has nextPageToken, so that it is one page of a longer list: run firebase auth:export users.json, which "
            + "writes all users\n"
        for (token, isNoted) in [(#","nextPageToken":"x""#, true), (#","nextPageToken":"""#, false), ("", false)] {
            let installation = try await Installation.withAccounts([])
            let file = try installation.file(
                #"{"kind":"identitytoolkit#DownloadAccountResponse","users":[{"localId":"yahoo:A"}]\#(token)}"#)
            let outcome = try await installation.run("accounts", "import", file)
            #expect(outcome.status == 0 && outcome.output.contains("added: 1,"), "\(outcome.errors)")
            #expect(outcome.output.contains(note) == isNoted, "\(outcome.output)")
        }
    }

    @Test(
        "Addresses that several accounts of the file have are counted in a note, unless the configuration allows them",
        arguments: [
            ("", "Ana@x.example", true, true), ("", "ana@x.example", false, false), ("", "bert@x.example", true, false),
            ("accounts:\n  one_account_per_email: false\n", "ana@x.example", true, false),
        ])
    func sharedAddresses(configuration: String, address: String, isVerified: Bool, isNoted: Bool) async throws {
        let note =
            "note: addresses that more than one account of the file has: 1. A sign-in with an identity that is linked to one of "
            + "these accounts finds it. A sign-in with another identity and such a verified address makes no account, because it "
            + "conflicts with all that have the address. If Firebase's console has Create multiple accounts for each identity "
            + "provider under Authentication, Settings, User account linking, write accounts.one_account_per_email: false, with "
            + "which such a sign-in makes an account of its own\n"
        let installation = try await Installation.withAccounts([])
        let yaml = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        try installation.write(yaml + configuration)
        let ana = """
            {"localId": "u1", "email": "ana@x.example", "emailVerified": true,
             "providerUserInfo": [{"providerId": "twitter.com", "rawId": "1"}]}
            """
        let file = try installation.file(
            Self.users(
                ana,
                """
                {"localId": "u2", "email": "\(address)", "emailVerified": \(isVerified),
                 "providerUserInfo": [{"providerId": "yahoo.com", "rawId": "Y1"}]}
                """,
                // One user who is twice in the file shares no address, and one who is not added has none.
                ana,
                """
                {"localId": "u3", "email": "ana@x.example", "emailVerified": true,
                 "providerUserInfo": [{"providerId": "yahoo.com", "rawId": "Y1"}]}
                """))
        let dry = try await installation.run("accounts", "import", file, "--dry-run")
        let first = try await installation.run("accounts", "import", file)
        let second = try await installation.run("accounts", "import", file)
        #expect(try await installation.listed().keys.sorted() == ["u1", "u2"])
        for outcome in [dry, first, second] {
            #expect(outcome.output.contains(note) == isNoted, "\(outcome.output)")
            #expect(outcome.output.contains("addresses that more than one") == isNoted)
            #expect(!outcome.output.contains("x.example"))
        }
    }

    @Test("A user with only an email address is left out, since no credential could open the account")
    func addressOnly() async throws {
        let installation = try await Installation.withAccounts([])
        let outcome = try await installation.run(
            "accounts", "import",
            installation.file(
                Self.users(
                    #"{"localId": "a", "email": "yahoo@example.com", "emailVerified": true, "providerUserInfo": []}"#,
                    #"{"localId": "b", "email": "b@example.com", "emailVerified": true, "passwordHash": "aGFzaA=="}"#,
                    """
                    {"localId": "c", "email": "c@example.com", "emailVerified": true, "phoneNumber": "+1555",
                     "providerUserInfo": [{"providerId": "google.com", "rawId": "1"}]}
                    """)))
        #expect(outcome.output.contains("added: 2, skipped (already there): 0, left out (nothing to link): 1"))
        let accounts = try await installation.listed()
        #expect(accounts.keys.sorted() == ["b", "c"])
        #expect(accounts["b"]?["ways_in"] == .array([.string("password")]))
        #expect(accounts["c"]?["ways_in"] == .array([.string("google.com"), .string("phone")]))
        let line = try await installation.run("accounts", "export").output
        let other = try await Installation.withAccounts(line.split(separator: "\n").map(String.init))
        #expect(try await other.run("accounts", "export").output == line)
    }

    @Test("Links that firebase-tools writes since June 2026 are imported, and a provider may have another id here")
    func recentExport() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(
            "\u{FEFF}"
                + Self.users(
                    """
                    {"localId": "Zx81", "email": "ana@yahoo.example", "emailVerified": true, "createdAt": "1754000000000",
                     "providerUserInfo": [{"providerId": "yahoo.com", "rawId": "ABCDEF2345", "email": "ana@yahoo.example"},
                                          {"providerId": "playgames.google.com", "rawId": "g1"}]}
                    """,
                    #"{"localId": "Zx82", "email": "b@x.example", "emailVerified": true, "providerUserInfo": []}"#))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(
            outcome.output.hasSuffix(
                ": Zx82\nadded: 1, skipped (already there): 0, left out (nothing to link): 1, conflicts: 0\n"))
        let ana = try #require(try await installation.listed()["Zx81"])
        #expect(ana.identities == ["yahoo.com ABCDEF2345"])
        #expect(ana["ways_in"] == .array([.string("playgames.google.com")]))
        let other = try await Installation.withAccounts([])
        let mapped = try await other.run("accounts", "import", file, "--map", "playgames.google.com=twitter.com")
        #expect(mapped.status == 0, "\(mapped.errors)")
        #expect(try await other.listed()["Zx81"]?.identities == ["twitter.com g1", "yahoo.com ABCDEF2345"])
    }

    @Test(
        "An export without the links that old versions leave out is noted if users were left out",
        arguments: [
            (#""emailVerified": true, "providerUserInfo": []"#, true),
            (#""emailVerified": true, "providerUserInfo": [{"providerId": "google.com", "rawId": "1"}]"#, true),
            (#""emailVerified": true, "providerUserInfo": [{"providerId": "apple.com", "rawId": "1"}]"#, false),
            (#""emailVerified": null, "passwordHash": "aGFzaA==", "salt": null"#, true),
        ])
    func oldExport(members: String, isNoted: Bool) async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(
            Self.users(
                #"{"localId": "a", "email": "a@x.example", "emailVerified": true, "providerUserInfo": []}"#,
                #"{"localId": "b", "email": "b@x.example", \#(members)}"#))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.status == 0)
        for part in ["and not both a verified address and another way to sign in", "or add --ask-firebase"] {
            #expect(outcome.output.contains(part) == isNoted, "\(outcome.output)")
        }
    }

    @Test(
        "Links of a provider that may have another id here are noted, with the option to add",
        arguments: [("oidc.twitter", "add --map oidc.twitter=twitter.com"), ("kakao.com", nil)])
    func otherID(name: String, option: String?) async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(
            Self.users(#"{"localId": "a", "providerUserInfo": [{"providerId": "\#(name)", "rawId": "1"}]}"#))
        let outcome = try await installation.run("accounts", "import", file)
        #expect(outcome.output.contains(option ?? "add --map") == (option != nil), "\(outcome.output)")
        let mapped = try await installation.run("accounts", "import", file, "--map", "\(name)=twitter.com")
        #expect(mapped.output.contains("added: 1,") && !mapped.output.contains("add --map"), "\(mapped.output)")
    }

    @Test("Links of Game Center are not advised to be those of Sign in with Apple")
    func gameCenter() throws {
        let names = try ProviderNames([], configured: [ProviderID("apple.com"), ProviderID("google.com")])
        for (name, similar) in [("gc.apple.com", "apple.com"), ("playgames.google.com", "google.com")] {
            let note = names.otherID(of: name)
            #expect(note?.contains("whose ids of persons are not those of \(similar)") == true)
            #expect(note?.contains("--map") == false)
        }
    }

    @Test("A name of --map that is in the file nowhere is noted, and one that is given twice is refused")
    func unusedMap() async throws {
        let installation = try await Installation.withAccounts([])
        let file = try installation.file(Self.users(#"{"localId": "x:1"}"#))
        let outcome = try await installation.run(
            "accounts", "import", file, "--map", "x=twitter.com", "--map", "yaho=yahoo.com", "--json")
        #expect(
            try JSON.parse(Array(outcome.output.utf8))["notes"]
                == .array([.string("the file has no provider with the name yaho, which --map names")]))
        let linked = try installation.file(
            Self.users(#"{"localId": "a", "providerUserInfo": [{"providerId": "oidc.x", "rawId": "1"}]}"#))
        let noted = try await installation.run("accounts", "import", linked, "--map", "OIDC.X=twitter.com", "--dry-run")
        #expect(
            noted.output.contains(
                "the file has no provider with the name OIDC.X, which --map names; its users have links to oidc.x\n"))
        let twice = try await installation.run(
            "accounts", "import", file, "--map", "x=twitter.com", "--map", "x=yahoo.com")
        #expect(twice.status == 64)
        #expect(twice.errors.contains("--map names x twice: keep one."))
    }

    @Test(
        "A file in UTF-16 is refused by its name, with a byte order mark and without",
        arguments: [[0xFF, 0xFE, 0x7B, 0x00], [0x7B, 0x00, 0x22, 0x00]] as [[UInt8]])
    func wide(bytes: [UInt8]) async throws {
        let installation = try await Installation.withAccounts([])
        let path = try installation.file("")
        try Data(bytes).write(to: URL(filePath: path))
        let outcome = try await installation.run("accounts", "import", path)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("\(path) is UTF-16: save it as UTF-8"), "\(outcome.errors)")
    }

    @Test("The help names what an export of Firebase does not contain")
    func help() async throws {
        let outcome = try await Command.run("accounts", "import", "--help")
        #expect(outcome.output.contains("since June 2026"))
        #expect(outcome.output.contains("--ask-firebase"))
    }
}
