internal import ArgumentParser
internal import Jansson
internal import Settings
internal import Standards

struct AccountsImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds accounts from a file of accounts export or firebase auth:export.",
        discussion: """
            FILE contains JSON Lines as accounts export writes them, or the JSON of firebase auth:export. A Firebase user \
            whose uid is provider:id, as in the published samples, is linked to that id, so that its next sign-in gets the \
            old uid. A Firebase user that is already linked to a configured provider is linked here too. Of a password, \
            only its existence is stored.

            The export of firebase-tools since June 2026 contains the links of Yahoo, Microsoft, Apple, LinkedIn, Game \
            Center and Play Games as well as those of Google, Facebook, X and GitHub, which are all that older ones write; \
            the command says if links seem to be missing. No export contains links of LINE and of providers with OpenID \
            Connect or SAML, and none contains second factors. With --ask-firebase, links and second factors come from \
            Firebase itself. Without it, a user without a link is left out, unless the file has a verified address and another \
            way to sign in, because no sign-in could open such an account; and second factors are not detected, so that \
            custom tokens bypass them.

            An identity of a provider that is not configured is refused, unless --map names the provider that is meant. A \
            link of a Firebase user to such a provider is kept as another sign-in method. Name a provider with --map only if \
            its ids of persons are those of the configured one.

            Existing accounts are not changed, so an import can be repeated. Accounts that cannot be added are listed with \
            the reason, and the exit code is then 1.

              firebase auth:export users.json
              token-exchange accounts import users.json --dry-run
              token-exchange accounts import users.json --map playgames.google.com=play-games
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "JSON Lines, or the JSON of firebase auth:export.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The name of a provider in the file, and its id in the configuration. May be repeated.",
            discussion: "twitter=twitter.com and yahoo=yahoo.com are built in.", valueName: "name=provider"))
    var map: [String] = []

    @Flag(help: "Also get links and second factors of Firebase users from Identity Toolkit.")
    var askFirebase = false

    @Flag(help: "Only print the result, without adding accounts.")
    var dryRun = false

    func validate() throws {
        _ = try ProviderNames(map, configured: [])
    }

    func run() async throws {
        let session = try await OperatorSession.open(options)
        defer { session.close() }
        guard !session.isFirebaseDirectory else {
            throw Exit.because(
                "firebase.directory is firebase, so accounts are Firebase's users. Import them with firebase auth:import or "
                    + "importUsers of the Firebase Admin SDK, and link their identities with accounts link", Exit.usage)
        }
        let names = try ProviderNames(map, configured: session.settings.providers.ids)
        try names.check(map)
        let subjects = FirebaseSubjects(session.settings.providers.openIDConnect)
        let importer = AccountImporter(session: session, names: names, subjects: subjects, isDryRun: dryRun)
        let content = try ImportFile.read(file)
        var summary =
            askFirebase
            ? try await FirebaseUsers.with(session) { try await importer.imported(content, users: $0) }
            : try await importer.imported(content, users: nil)
        let known = content.providerNames
        let found = content.linkedNames.sorted().prefix(10).map { VisibleText.of($0) }.joined(separator: ", ")
        summary.notes = names.mapped.filter { !known.contains($0) }.sorted().map {
            "the file has no provider with the name \(VisibleText.of($0)), which --map names"
                + (found.isEmpty ? "" : "; its users have links to \(found)")
        }
        if case .firebaseUsers(_, isPart: true) = content {
            summary.notes.append(
                "the file has nextPageToken, so that it is one page of a longer list: run firebase auth:export users.json, which "
                    + "writes all users")
        }
        summary.notes += content.linkedNames.sorted().compactMap(names.otherID)
        // The lookup at Firebase can find links that the file does not have.
        let linked = Set(content.linkedNames.compactMap(names.provider)).union(askFirebase ? names.configured : [])
        summary.notes += subjects.notes(of: linked)
        if !summary.unlinked.isEmpty {
            let (first, count) = (summary.unlinked.prefix(10).map(VisibleText.of), summary.unlinked.count)
            summary.notes.append(
                "left out, because no sign-in here finds them (such as users with only a password or a phone number): "
                    + first.joined(separator: ", ") + (count > 10 ? " and \(count - 10) more" : ""))
        }
        if !askFirebase, !summary.unlinked.isEmpty,
            FirebaseLinks.added.isDisjoint(with: content.linkedNames)
        {
            summary.notes.append(FirebaseLinks.note)
        }
        if session.settings.accounts.oneAccountPerEmail, summary.sharedAddresses > 0 {
            summary.notes.append(
                "addresses that more than one account of the file has: \(summary.sharedAddresses). A sign-in with an identity that is "
                    + "linked to one of these accounts finds it. A sign-in with another identity and such a verified address makes "
                    + "no account, because it conflicts with all that have the address. If Firebase's console has Create multiple "
                    + "accounts for each identity provider under Authentication, Settings, User account linking, write "
                    + "accounts.one_account_per_email: false, with which such a sign-in makes an account of its own")
        }
        if summary.withoutSignIn > 0 {
            summary.notes.append(
                "accounts that no sign-in finds: \(summary.withoutSignIn). Write identities, a list of objects with provider and "
                    + "provider_uid, in their lines")
        }
        summary.write(to: output, isDryRun: dryRun)
        guard summary.conflicts.isEmpty else { throw Exit.failure }
    }
}

/// What an export of Firebase says about the version of firebase-tools that wrote it.
private enum FirebaseLinks {
    /// The providers that firebase-tools writes only since pull request 10543 (May 2026).
    static let added: Set<String> = [
        "apple.com", "gc.apple.com", "linkedin.com", "microsoft.com", "playgames.google.com", "yahoo.com",
    ]

    /// What is true of users who were left out, if the file has no link to one of these providers.
    static let note =
        "a user is left out who has no link to a configured provider, and not both a verified address and another way to sign in. "
        + "If such users have links to Yahoo, Microsoft, Apple, LinkedIn, Game Center or Play Games, firebase-tools before June "
        + "2026 did not write them: export again with a newer version, or add --ask-firebase"
}

/// Maps names of providers in a file to ids of the configuration.
struct ProviderNames: Equatable {
    /// Prefixes of uids in the published Firebase samples that differ from the provider's id.
    private static let samples = ["twitter": ProviderID("twitter.com"), "yahoo": ProviderID("yahoo.com")]

    /// Providers of Firebase whose ids of persons are not those of the provider with a similar name.
    private static let idsOfTheirOwn: Set = ["gc.apple.com", "playgames.google.com"]

    private let names: [String: ProviderID]
    /// The names of the command line.
    let mapped: Set<String>
    /// The ids of the configured providers.
    let configured: [ProviderID]

    /// Returns a note about a name that has a word in common with the id of a configured provider, such as `oidc.kakao` and
    /// `kakao`; `nil` for every other name.
    func otherID(of name: String) -> String? {
        func words(_ text: String) -> Set<Substring> {
            Set(text.split(separator: ".")).subtracting(["com", "oidc", "saml"])
        }
        guard provider(of: name) == nil,
            let meant = configured.first(where: { !words($0.text).isDisjoint(with: words(name)) })
        else { return nil }
        guard !Self.idsOfTheirOwn.contains(name) else {
            return
                "the file has links of \(name), whose ids of persons are not those of \(meant): they are kept as another way to "
                + "sign in, which this server does not have"
        }
        return
            "the file has links of \(VisibleText.of(name)), which is no provider of the configuration: if \(meant) is meant, add "
            + "--map \(VisibleText.of(name))=\(meant)"
    }

    /// Creates the mapping from pairs `name=provider` of the command line.
    init(_ pairs: [String], configured: [ProviderID]) throws {
        var mapped: Set<String> = []
        var names = Self.samples.filter { name, _ in !configured.contains(ProviderID(name)) }
        for pair in pairs {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
                throw ValidationError("--map has the form NAME=PROVIDER, such as twitter=twitter.com.")
            }
            guard mapped.insert(sides[0]).inserted else {
                throw ValidationError("--map names \(VisibleText.of(sides[0])) twice: keep one.")
            }
            names[sides[0]] = ProviderID(sides[1])
        }
        (self.names, self.mapped, self.configured) = (names, mapped, configured)
    }

    /// - Throws: Exit 64 if a provider of the command line is not configured.
    func check(_ pairs: [String]) throws {
        for pair in pairs {
            let provider = ProviderID(String(pair.drop { $0 != "=" }.dropFirst()))
            guard configured.contains(provider) else {
                throw Exit.because(
                    "--map \(VisibleText.of(pair)): is not configured; use one of \(configured.map(\.text).joined(separator: ", "))",
                    Exit.usage)
            }
        }
    }

    /// Returns the configured provider that a name of the file means; `nil` if it is not configured.
    func provider(of name: String) -> ProviderID? {
        let provider = names[name] ?? ProviderID(name)
        return configured.contains(provider) ? provider : nil
    }

    /// The fault of an identity whose provider is not configured.
    func unknown(_ name: String) -> ImportFault { .unknownProvider(name, configured: configured) }
}

struct ImportSummary {
    struct Conflict {
        let uid: String
        let reason: String
    }

    var added = 0
    /// Accounts that exist with the same identities.
    var skipped = 0
    /// Firebase users without data to import.
    var leftOut = 0
    /// Firebase users among ``leftOut`` whose uid names a provider that is not configured.
    var unknownProviders: [Conflict] = []
    var conflicts: [Conflict] = []
    /// The number of addresses that more than one account of the file has.
    var sharedAddresses = 0
    /// The uids of users who are left out, because they have nothing to link.
    var unlinked: [String] = []
    /// The number of accounts of the file that no sign-in can find.
    var withoutSignIn = 0
    /// What the operator should know about the file and the options.
    var notes: [String] = []

    func write(to output: OutputOptions, isDryRun: Bool) {
        if output.json {
            return output.write(
                "",
                [
                    "added": .integer(Int64(added)), "skipped": .integer(Int64(skipped)),
                    "left_out": .integer(Int64(leftOut)), "unknown_providers": .array(unknownProviders.map(Self.json)),
                    "conflicts": .array(conflicts.map(Self.json)), "dry_run": .bool(isDryRun),
                    "notes": .array(notes.map(JSON.string)),
                ])
        }
        for user in unknownProviders {
            print("left out: \(VisibleText.of(user.uid)): \(user.reason)")
        }
        for conflict in conflicts {
            print("conflict: \(VisibleText.of(conflict.uid)): \(conflict.reason)")
        }
        for note in notes { print("note: \(note)") }
        print(
            "\(isDryRun ? "would be added" : "added"): \(added), skipped (already there): \(skipped), "
                + "left out (nothing to link): \(leftOut), conflicts: \(conflicts.count)")
    }

    private static func json(_ entry: Conflict) -> JSON {
        .object(["uid": .string(entry.uid), "reason": .string(entry.reason)])
    }
}
