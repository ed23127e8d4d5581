import Foundation
import JOSE
import Jansson
import Testing

@Suite("accounts", .timeLimit(.minutes(5)))
struct AccountsTests {
    @Test(
        "Every subcommand prints its help",
        arguments: [
            "list", "show", "link", "unlink", "merge", "delete", "disable", "enable", "factors", "export", "import",
            "sweep",
        ])
    func help(subcommand: String) async throws {
        let outcome = try await Command.run("accounts", subcommand, "--help")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: token-exchange accounts \(subcommand)"))
    }

    @Test(
        "Invalid arguments lead to exit code 64",
        arguments: [
            ["show"], ["link", "a", "twitter.com"], ["link", "a", "twitter.com", ""], ["merge", "a"],
            ["merge", "a", "a"], ["delete", "a"], ["import"], ["import", "f", "--map", "twitter"], ["dance"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await Command.run(["accounts"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
    }

    @Test("Accounts are listed in columns, or as one JSON object per line")
    func list() async throws {
        let installation = try await Installation.withAccounts()
        let outcome = try await installation.run("accounts", "list")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                UID     CREATED               STATE      IDENTITIES   E-MAIL
                anna    2023-11-14T22:13:20Z  -          twitter.com  anna@example.com
                bert    2023-11-14T22:13:20Z  -          -            -
                nobody  2023-11-14T22:13:20Z  anonymous  -            -

                """)
        let accounts = try await installation.listed()
        #expect(accounts.keys.sorted() == ["anna", "bert", "nobody"])
        #expect(accounts["anna"]?.identities == ["twitter.com 783214"])
        #expect(accounts["bert"]?["other_way_in"] == .bool(true))
        #expect(accounts["nobody"]?["delete_after"] == .integer(1_700_003_600))
    }

    @Test("An account is shown with its identities, and an unknown uid leads to exit code 1")
    func show() async throws {
        let installation = try await Installation.withAccounts()
        let outcome = try await installation.run("accounts", "show", "anna")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("identity: twitter.com 783214, Anna, linked 2023-11-14T22:13:20Z"))
        let unknown = try await installation.run("accounts", "show", "carl")
        #expect(unknown.status == 1)
        #expect(unknown.output.isEmpty)
        #expect(unknown.errors == "token-exchange: there is no account carl: accounts list shows the uids\n")
    }

    @Test("An identity is linked to one account, and can be unlinked")
    func link() async throws {
        let installation = try await Installation.withAccounts()
        let linked = try await installation.run("accounts", "link", "bert", "yahoo.com", "XYZ", "--json")
        #expect(linked.status == 0)
        #expect(try JSON.parse(Array(linked.output.utf8)).identities == ["yahoo.com XYZ"])
        for (arguments, message) in [
            (
                ["nobody", "yahoo.com", "XYZ"],
                "linked to the account bert: unlink it there first. If that account has no other sign-in method, merge it into this "
                    + "one with accounts merge bert nobody, or delete it\n"
            ),
            (
                ["bert", "yahoo.com", "other"],
                "has another identity of yahoo.com: put this one in its place with --replace, or unlink that one first\n"
            ),
            (["carl", "yahoo.com", "other"], "there is no account carl"),
        ] {
            let outcome = try await Command.run(
                ["accounts", "link"] + arguments + ["--config", installation.configuration],
                environment: Installation.environment)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        let replaced = try await installation.run("accounts", "link", "bert", "yahoo.com", "ABC", "--replace", "--json")
        #expect(replaced.status == 0 && replaced.errors == "token-exchange: identity until now: yahoo.com XYZ\n")
        #expect(try JSON.parse(Array(replaced.output.utf8)).identities == ["yahoo.com ABC"])
        let unknown = try await installation.run("accounts", "link", "bert", "twiter.com", "1")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("is not a provider of the configuration"))
        #expect(try await installation.run("accounts", "unlink", "bert", "yahoo.com").status == 0)
        #expect(try await installation.listed()["bert"]?.identities == [])
        let again = try await installation.run("accounts", "unlink", "bert", "yahoo.com")
        #expect(again.status == 1)
        #expect(again.errors.contains("has no identity of yahoo.com: accounts show lists those that it has"))
    }

    @Test("The last sign-in method of an account is not removed")
    func lastIdentity() async throws {
        let installation = try await Installation.withAccounts()
        let outcome = try await installation.run("accounts", "unlink", "anna", "twitter.com")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("this is the last sign-in method of the account"))
        #expect(outcome.errors.contains("put another one of this provider in its place with accounts link --replace"))
        #expect(try await installation.listed()["anna"]?.identities == ["twitter.com 783214"])
    }

    @Test("Merging moves identities and removes the emptied account")
    func merge() async throws {
        let installation = try await Installation.withAccounts()
        let refused = try await installation.run("accounts", "merge", "bert", "anna")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("cannot be moved"))
        #expect(try await installation.run("accounts", "merge", "anna", "bert", "--keep-firebase-user").status == 0)
        let accounts = try await installation.listed()
        #expect(accounts["bert"]?.identities == ["twitter.com 783214"])
        #expect(accounts["anna"] == nil)
    }

    @Test("A refusal to merge says what to do, and does not lead to a refusal to unlink")
    func refusedMerge() async throws {
        let installation = try await Installation.withAccounts()
        #expect(try await installation.run("accounts", "link", "nobody", "twitter.com", "5").status == 0)
        let taken = try await installation.run("accounts", "merge", "anna", "nobody", "--keep-firebase-user")
        #expect(taken.status == 1)
        #expect(
            taken.errors
                == "token-exchange: both accounts have an identity of one provider, as accounts show shows; unlink one of them first. "
                + "If it is the last sign-in method, delete anna, and use accounts link --replace with its identity if it is the "
                + "one to keep. Nothing was changed\n")
    }

    @Test("A deletion must be confirmed, and the uid cannot be used again")
    func delete() async throws {
        let installation = try await Installation.withAccounts()
        let unconfirmed = try await installation.run("accounts", "delete", "anna")
        #expect(unconfirmed.status == 64)
        #expect(unconfirmed.errors.contains("--yes"))
        #expect(
            try await installation.run("accounts", "delete", "anna", "--yes", "--keep-firebase-user").output
                == "deleted anna; Firebase user: kept\n")
        #expect(try await installation.listed()["anna"] == nil)
        let again = try await installation.run("accounts", "import", installation.file(Installation.accounts[0]))
        #expect(again.status == 1)
        #expect(
            again.output.contains("conflict: anna: the account with this uid was deleted or merged"), "\(again.output)")
    }

    @Test("Deleting an unknown uid does not retire it")
    func deleteUnknown() async throws {
        let installation = try await Installation.withAccounts([])
        #expect(try await installation.run("accounts", "delete", "anna", "--yes").status == 1)
        let added = try await installation.run("accounts", "import", installation.file(Installation.accounts[0]))
        #expect(added.status == 0)
    }

    @Test("An account is disabled and enabled")
    func disable() async throws {
        let installation = try await Installation.withAccounts()
        #expect(try await installation.run("accounts", "disable", "anna").output.contains("state: disabled\n"))
        #expect(try await installation.listed()["anna"]?["disabled"] == .bool(true))
        let refused = try await installation.run("accounts", "link", "anna", "yahoo.com", "1")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the account is disabled"))
        #expect(try await installation.run("accounts", "enable", "anna").output.contains("state: -\n"))
        #expect(try await installation.run("accounts", "enable", "carl").status == 1)
    }

    @Test("A dry run of a sweep counts the expired anonymous accounts, and all anonymous accounts by age")
    func sweep() async throws {
        let installation = try await Installation.withAccounts()
        #expect(
            try await installation.run("accounts", "sweep", "--dry-run").output == """
                1 anonymous account would be removed
                anonymous accounts by age:
                  younger than 1d: 0
                  1d to 7d: 0
                  7d to 30d: 0
                  30d to 90d: 0
                  90d or older: 1

                """)
        try installation.write(
            try String(contentsOfFile: installation.configuration, encoding: .utf8)
                + "accounts:\n  anonymous_retention: 36h\n")
        let json = try await installation.run("accounts", "sweep", "--dry-run", "--json")
        let ages = try JSON.parse(Array(json.output.utf8))["anonymous_by_age"]?.array ?? []
        #expect(ages.map { $0["from"]?.integer } == [0, 86400, 129_600, 604_800, 2_592_000, 7_776_000])
        #expect(ages.map { $0["below"]?.integer } == [86400, 129_600, 604_800, 2_592_000, 7_776_000, nil])
        #expect(ages.map { $0["count"]?.integer } == [0, 0, 0, 0, 0, 1])
        #expect(try await installation.listed().count == 3)
    }

    @Test("The command sweep deletes nothing unless a server confirms the clock, and then what serve deletes")
    func sweepCommand() async throws {
        let installation = try await Installation.withAccounts()
        try installation.write(
            try String(contentsOfFile: installation.configuration, encoding: .utf8).replacing(
                "  drain_delay: 0s\n", with: "  drain_delay: 0s\n  sweep_interval: off\n"))
        let dry = try await installation.run("sweep", "--dry-run")
        #expect(dry.status == 0 && dry.output == "1 anonymous account would be deleted\n", "\(dry)")
        let early = try await installation.run("sweep")
        #expect(early.status == 1 && early.output.isEmpty)
        #expect(early.errors.contains("nothing was deleted: no server has used the store within the last minute"))

        let server = try installation.serve()
        _ = try await server.line(with: "public listener")
        for _ in 0..<2 {
            let outcome = try await installation.run("sweep")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(
                outcome.output == """
                    expired records: 0 deleted
                    audit lines: 0 deleted
                    anonymous accounts: 0 deleted; Firebase users kept: 0

                    """)
        }
        #expect(try await installation.listed().count == 3, "Without a retention no account is deleted.")
        server.signal(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("If Firebase does not respond, no account is deleted, and the command says so")
    func unreachable() async throws {
        let installation = try await Installation.withAccounts()
        try installation.write(
            try String(contentsOfFile: installation.configuration, encoding: .utf8).replacing(
                "firebase:\n",
                with: """
                    firebase:
                      endpoints: {oauth_token: "http://127.0.0.1:9/token", identity_toolkit: "http://127.0.0.1:9"}

                    """))
        for arguments in [["sweep"], ["delete", "anna", "--yes"], ["merge", "anna", "bert"]] {
            let outcome = try await Command.run(
                ["accounts"] + arguments + ["--config", installation.configuration],
                environment: Installation.environment)
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.errors.contains("Firebase"), "\(outcome.errors)")
            #expect(outcome.errors.contains("directory_unreachable"), "\(outcome.errors)")
        }
        #expect(try await installation.listed().count == 3)
    }

    @Test(
        "If Firebase keeps the accounts, each command asks Firebase, and says so if it does not respond",
        arguments: [
            ["list"], ["show", "anna"], ["export"], ["link", "anna", "twitter.com", "1"],
            ["unlink", "anna", "twitter.com"], ["merge", "anna", "bert"], ["delete", "anna", "--yes"],
            ["disable", "anna"], ["enable", "anna"], ["factors", "anna", "--remove-all"], ["sweep"],
        ])
    func firebase(arguments: [String]) async throws {
        let installation = try await Installation.withAccounts()
        try installation.write(Self.firebaseYAML(installation.configuration))
        let outcome = try await Command.run(
            ["accounts"] + arguments + ["--config", installation.configuration], environment: Installation.environment)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("Firebase"), "\(outcome.errors)")
        #expect(outcome.errors.contains("directory_unreachable"), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test("If Firebase keeps the accounts, import and --keep-firebase-user are refused with what to do instead")
    func firebaseRefusals() async throws {
        let installation = try await Installation.withAccounts()
        try installation.write(Self.firebaseYAML(installation.configuration))
        for (arguments, advice) in [
            (["import", "none"], "firebase auth:import"),
            (["delete", "anna", "--yes", "--keep-firebase-user"], "Leave this option out"),
            (["merge", "anna", "bert", "--keep-firebase-user"], "Leave this option out"),
            (["link", "anna", "twitter.com", "1", "--replace"], "updateUser(uid, {providersToUnlink: [...]})"),
        ] {
            let outcome = try await Command.run(
                ["accounts"] + arguments + ["--config", installation.configuration],
                environment: Installation.environment)
            #expect(outcome.status == 64, "\(arguments): \(outcome)")
            #expect(outcome.errors.contains(advice), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test("--tenant must name a tenant of a client, and is refused if all tenants share the accounts")
    func tenants() async throws {
        let installation = try await Installation.withAccounts()
        let local = try await installation.run("accounts", "list", "--tenant", "tenant-1")
        #expect(local.status == 64)
        #expect(local.errors.contains("firebase.directory is local"), "\(local.errors)")
        let yaml = try Self.firebaseYAML(installation.configuration)
        try installation.write(
            yaml.replacing(
                "clients:\n",
                with: "clients:\n  other-app: {tenant_id: tenant-1, redirect_uris: [\"com.example.other:/x\"]}\n"))
        for (arguments, message) in [
            ([], "name one with --tenant: -, tenant-1"),
            (["--tenant", "tenant-2"], "tenant-2 is not a tenant of a client; use one of -, tenant-1"),
        ] {
            let outcome = try await Command.run(
                ["accounts", "show", "anna", "--config", installation.configuration] + arguments,
                environment: Installation.environment)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        let named = try await installation.run("accounts", "show", "anna", "--tenant", "tenant-1")
        #expect(named.errors.contains("directory_unreachable"), "\(named.errors)")
        let minted = try await installation.run("mint", "--uid", "anna", "--tenant", "tenant-1")
        #expect(minted.status == 0)
        let parts = minted.output.split(separator: ".")
        #expect(parts.count == 3)
        let payload = try JSON.parse(Base64URL.decode(String(parts[1])))
        #expect(payload["tenant_id"] == .string("tenant-1"))
    }

    /// A configuration whose directory is Firebase, which does not respond.
    static func firebaseYAML(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).replacing(
            "firebase:\n",
            with: """
                firebase:
                  directory: firebase
                  endpoints: {oauth_token: "http://127.0.0.1:9/token", identity_toolkit: "http://127.0.0.1:9"}

                """)
    }

    @Test("Without an access token, a store in Firestore has the advice on the call that failed")
    func noAccessToken() async throws {
        let installation = try Installation()
        let store = "store: sqlite://\(installation.folder.path)/token-exchange.db"
        try installation.write(
            Self.firebaseYAML(installation.configuration).replacing("  directory: firebase\n", with: "").replacing(
                store,
                with: "store: firestore://my-project/token-exchange\nseal_keys: [env:SEAL]\nstore_keys: [env:STORE]"))
        var environment = Installation.environment
        environment["SEAL"] = "XRNsh0XbWandGAcAPdPBcjsyoBwocR8VxAHywEM3fcc"
        environment["STORE"] = "q2bD9Q0mE6rV1sXh7yTz4KcLwNfUoJpGiAeRkZtBnYg"
        let outcome = try await installation.run("accounts", "list", environment: environment)
        #expect(outcome.status == 1)
        let cause =
            "there is no access token: no connection to port 9 of 127.0.0.1 could be made (Connection refused). 127.0.0.1 is this machine"
        #expect(outcome.errors.contains(cause), "\(outcome.errors)")
        #expect(outcome.errors.contains("and whether Google can be reached"), "\(outcome.errors)")
    }

    @Test("A missing store leads to exit code 1 and is not created; a bad configuration leads to 78")
    func noStore() async throws {
        let installation = try Installation()
        let database = installation.folder.path + "/token-exchange.db"
        let missing = "there is no database \(database): if it is elsewhere, correct store"
        for outcome in [
            try await installation.run("accounts", "list"),
            try await installation.run("backup", installation.folder.path + "/copy"),
        ] {
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(missing))
        }
        #expect(!FileManager.default.fileExists(atPath: installation.folder.path + "/token-exchange.db"))
        try installation.write("store: [")
        #expect(try await installation.run("accounts", "list").status == 78)
        #expect(try await installation.run("migrate").status == 78)
    }

    @Test("migrate creates the store with mode 600, and can be repeated")
    func migrate() async throws {
        let installation = try Installation()
        for _ in 1...2 {
            let outcome = try await installation.run("migrate")
            #expect(outcome.status == 0)
            #expect(outcome.output.hasSuffix("token-exchange.db: up to date\n"))
        }
        #expect(try installation.mode(of: "token-exchange.db") == 0o600)
        #expect(try await installation.run("accounts", "list").output.isEmpty)
    }

    @Test("An unreachable PostgreSQL leads to exit code 1, and its password is not printed")
    func noPostgres() async throws {
        let installation = try Installation()
        let yaml = installation.yaml.replacing(
            /store: .*/, with: "store: env:DATABASE\nseal_keys: [env:SEAL]\nstore_keys: [env:KEPT]")
        try installation.write(yaml)
        let environment = [
            "DATABASE": "postgresql://user:hush-password-of-postgres@127.0.0.1:1/db",
            "SEAL": "n0-xPlfV8Wq2Yb7cRk4tZs9uGh3jLm6oEa1iDf5Tv_A",
            "KEPT": "Q8s2vJ0yHk7Lw4Nf9Rd1Xc6Pb3Tz5Ga-Ue_Mi8Oq2sE",
        ]
        for arguments in [["migrate"], ["accounts", "list"]] {
            let outcome = try await Command.run(
                arguments + ["--config", installation.configuration],
                environment: Installation.environment.merging(environment) { $1 })
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("the store postgresql://127.0.0.1:1/db cannot be used"), "\(outcome.errors)")
            #expect(outcome.hides("hush-password-of-postgres"))
        }
    }
}
