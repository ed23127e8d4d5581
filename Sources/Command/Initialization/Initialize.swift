internal import ArgumentParser
internal import Firebase
internal import Foundation
internal import OperatingSystem
internal import Providers
internal import Settings
internal import Standards

struct Initialize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Asks five questions, and writes a configuration.",
        discussion: """
            On a terminal it asks for what no option answers: the public URL, the providers and the registration at each of \
            them, the redirect URIs of the application, and the service account. It checks each answer by the rules of config \
            check, and says what to write instead. Without a terminal, the options answer everything that has no default.

            It writes the configuration, the secrets that were entered, and new keys for seal_keys and store_keys into files \
            that only this user can read, and prints none of them. Files with secrets and keys that exist are used as they \
            are. It then checks the configuration, and prints what to register at the providers and what to run next.

              YAHOO_CLIENT_SECRET=… token-exchange init --public-url https://auth.example.com --provider yahoo.com \
            --set yahoo.com.client_id=dj0yJmk9example --set yahoo.com.client_secret=env:YAHOO_CLIENT_SECRET \
            --service-account /etc/token-exchange/service-account.json
            """)

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("The configuration file to write, in whose folder the other files are.", valueName: "file"))
    var path = "token-exchange.yaml"

    @Flag(help: "Replace the configuration file if it exists.")
    var force = false

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp("The URL at which browsers reach this server, server.public_url.", valueName: "url"))
    var publicURL: String?

    @Option(
        name: .customLong("provider"), parsing: .singleValue,
        help: ArgumentHelp(
            "The id of a provider that token-exchange providers lists; may be repeated.", valueName: "id"))
    var providers: [String] = []

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "A value of the registration at a provider, such as yahoo.com.client_id=dj0yJmk9example; may be repeated.",
            discussion: "A secret is file:/path of a file that exists, env:NAME of a variable, or gcp-secret:NAME.",
            valueName: "key=value"))
    var values: [String] = []

    @Option(help: ArgumentHelp("The client_id by which the application calls itself.", valueName: "client-id"))
    var application = "my-app"

    @Option(
        name: .customLong("redirect-uri"), parsing: .singleValue,
        help: ArgumentHelp(
            "A redirect URI of the application; may be repeated. Default: http://127.0.0.1/callback", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("service-account"),
        help: ArgumentHelp(
            "The path of the JSON file of the service account, or env:NAME for a variable with its content.",
            valueName: "file"))
    var serviceAccount: String?

    @Option(
        help: ArgumentHelp(
            "The store.",
            discussion: """
                Default: SQLite in /var/lib/token-exchange if this user can write there, otherwise beside the configuration.
                """,
            valueName: "uri"))
    var store: String?

    func run() async throws {
        try ProcessMemory.requireHidden()
        var draft = try emptyDraft()
        let project = try answer(&draft)
        try write(draft)
        let (_, warnings) = try await ConfigurationOptions.parse(["--config", draft.path]).check(offline: false)
        for warning in warnings { print("warning: \(warning)") }
        if let project { print("Firebase project: \(project)") }
        NextSteps(draft: draft).say()
    }

    /// The draft with everything that is not asked.
    private func emptyDraft() throws -> ConfigurationDraft {
        let file = URL(fileURLWithPath: path).standardizedFileURL.path
        let folder = (file as NSString).deletingLastPathComponent
        guard force || !FileManager.default.fileExists(atPath: file) else {
            throw Exit.because(
                "\(file) exists: name another file with --config, or replace it with --force", Exit.failure)
        }
        if let obstacle = FileObstacle.sentence(making: file) {
            throw Exit.because("\(file) \(obstacle)", Exit.failure)
        }
        let installed = "/var/lib/token-exchange/token-exchange.db"
        let database = FileObstacle.sentence(making: installed) == nil ? installed : folder + "/token-exchange.db"
        var draft = ConfigurationDraft(path: file, application: application, store: store ?? "sqlite://\(database)")
        for list in MissingKey.List.allCases {
            // The database has data that only the key beside it opens.
            let known = "\(draft.store.dropFirst("sqlite://".count))\(list.fileExtension)"
            if FileManager.default.fileExists(atPath: known) { continue }
            let path = "\(folder)/\(list.fileExtension.dropFirst())"
            draft.keyFiles.append((list, path))
            if !FileManager.default.fileExists(atPath: path) { draft.newFiles[path] = try CreateKeys.newKey() + "\n" }
        }
        for (option, key) in [("--store", "store"), ("--application", "clients.\(application)")] {
            let objections = draft.problems(at: key)
            guard objections.isEmpty else {
                throw Exit.because("\(option): \(objections.joined(separator: "\n  "))", Exit.usage)
            }
        }
        return draft
    }
}

extension Initialize {
    /// Adds the answers to a draft.
    ///
    /// - Returns: The Firebase project of the service account; `nil` if only Secret Manager knows it.
    /// - Throws: Exit 64 for options that are wrong or missing.
    private func answer(_ draft: inout ConfigurationDraft) throws -> String? {
        var interview = Interview(hasTerminal: Terminal.isThere)
        let publicURL = Question(
            text: "1. The URL at which browsers reach this server, without a path:", option: "--public-url",
            example: "https://auth.example.com")
        try interview.ask(publicURL, given: self.publicURL) { answer in
            draft.publicURL = answer
            let objections = draft.problems(at: "server.public_url")
            return objections.isEmpty ? draft.problems(at: "server") : objections
        }
        try askForProviders(&interview, &draft)
        let redirectURIs = Question(
            text: "4. The redirect URIs of the application: https://…, http://127.0.0.1/… for any port, or your domain "
                + "in reverse order as a scheme, such as com.example.app:/oauth:",
            option: "--redirect-uri", fallback: "http://127.0.0.1/callback", isOptional: true)
        try interview.ask(redirectURIs, given: Self.joined(self.redirectURIs)) { answer in
            draft.redirectURIs = Self.words(answer)
            return draft.problems(at: "clients.\(application)")
        }
        let project = try askForServiceAccount(&interview, &draft)
        guard interview.missing.isEmpty else {
            throw Exit.because(
                "there is no terminal to ask at, and these options are missing: "
                    + interview.missing.joined(separator: ", "), Exit.usage)
        }
        do {
            _ = try draft.read()
        } catch {
            throw Exit.because("the answers do not fit together:\n\(error)", Exit.usage)
        }
        return project
    }

    private func askForProviders(_ interview: inout Interview, _ draft: inout ConfigurationDraft) throws {
        let question = Question(
            text: "2. The providers at which people sign in. This program knows "
                + Settings.Providers.templates.map(\.id.text).joined(separator: ", ") + ":",
            option: "--provider", example: "yahoo.com twitter.com")
        try interview.ask(question, given: Self.joined(providers)) { answer in
            let ids = Self.words(answer)
            draft.providers = ids.compactMap(Settings.Providers.template)
            guard !ids.isEmpty else { return ["name at least one provider"] }
            guard Set(ids).count == ids.count else { return ["a provider is named twice"] }
            return ids.filter { Settings.Providers.template($0) == nil }.map(Settings.Providers.absence)
        }
        let given = try givenValues(of: draft.providers)
        for provider in draft.providers {
            interview.say("\n3. Register an application of \(provider.name) at \(provider.console)")
            interview.say("   with the redirect URI \(draft.callback(of: provider))")
            for field in provider.fields {
                let key = "\(provider.id.text).\(field.path.joined(separator: "."))"
                try ask(field, of: provider, key: key, given: given[key], &interview, &draft)
            }
        }
    }

    /// The values of `--set`, by their keys.
    private func givenValues(of providers: [Settings.Providers.Template]) throws -> [String: String] {
        let known = providers.flatMap { provider in
            provider.fields.map { "\(provider.id.text).\($0.path.joined(separator: "."))" }
        }
        return try values.reduce(into: [:]) { given, text in
            let key = String(text.prefix { $0 != "=" })
            guard text.contains("="), known.contains(key) || known.isEmpty else {
                throw Exit.because(
                    "--set: write KEY=VALUE with one of the keys \(known.joined(separator: ", "))", Exit.usage)
            }
            given[key] = String(text.dropFirst(key.count + 1))
        }
    }

    private func ask(
        _ field: Settings.Providers.Template.Field, of provider: Settings.Providers.Template, key: String,
        given: String?, _ interview: inout Interview, _ draft: inout ConfigurationDraft
    ) throws {
        let isSecret = field.example.hasPrefix("env:")
        let isReference = isSecret || field.example.hasPrefix("file:")
        let hasDefault = !isReference && !field.example.contains("…")
        let name = field.path.joined(separator: ".")
        var question = Question(
            text: isSecret
                ? "   \(name): the file with the secret, which is made if it does not exist, or env:NAME:"
                : isReference ? "   \(name): the path of its file, or env:NAME:" : "   \(name):",
            option: "--set \(key)=…",
            example: isReference ? "/etc/token-exchange/AuthKey.p8" : "",
            fallback: hasDefault ? field.example : nil, isOptional: hasDefault)
        if isSecret { question.fallback = "\(draft.folder)/\(provider.id.text)-client-secret" }
        var entered: String?
        try interview.ask(question, given: given) { answer in
            if let path = entered { draft.newFiles[path] = nil }
            entered = nil
            var answer = answer
            if isReference {
                if answer.hasPrefix("/") { answer = "file:\(answer)" }
                // The answer may be the secret itself, which must neither be shown again nor become the name of a file.
                guard ["file:/", "env:", "gcp-secret:"].contains(where: answer.hasPrefix) else {
                    return ["write the absolute path of a file, or env:NAME"]
                }
            }
            let path = String(answer.dropFirst("file:".count))
            if isSecret, given == nil, answer.hasPrefix("file:"), !FileManager.default.fileExists(atPath: path) {
                if let obstacle = FileObstacle.sentence(making: path) { return ["\(path) \(obstacle)"] }
                draft.newFiles[path] = try Interview.secret() + "\n"
                entered = path
            }
            draft.set(field, of: provider, to: answer)
            return draft.problems(at: "providers.\(key)")
        }
    }

    private func askForServiceAccount(
        _ interview: inout Interview, _ draft: inout ConfigurationDraft
    ) throws -> String? {
        let question = Question(
            text: "5. The JSON file of the service account (Firebase console, Project settings, Service accounts), or "
                + "env:NAME for a variable with its content:",
            option: "--service-account", example: "/etc/token-exchange/service-account.json",
            fallback: ProcessInfo.processInfo.environment["GOOGLE_APPLICATION_CREDENTIALS"])
        var project: String?
        try interview.ask(question, given: serviceAccount) { answer in
            // A relative path would mean another file to a server that starts in another folder.
            let file = URL(fileURLWithPath: answer).standardizedFileURL.path
            draft.serviceAccount = FileManager.default.fileExists(atPath: answer) ? file : answer
            let objections = draft.problems(at: "firebase")
            guard objections.isEmpty, let settings = try? draft.read() else { return objections }
            do {
                project = try ServiceAccounts.load(settings).first?.projectID
                return []
            } catch let reason as ExitReason {
                return [reason.message]
            }
        }
        return project
    }

    /// The words of an answer, between spaces and commas.
    private static func words(_ answer: String) -> [String] {
        answer.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    private static func joined(_ options: [String]) -> String? {
        options.isEmpty ? nil : options.joined(separator: " ")
    }
}

extension Initialize {
    /// Writes the files of a draft, the configuration last.
    private func write(_ draft: ConfigurationDraft) throws {
        let files = draft.newFiles.sorted { $0.key < $1.key } + [(key: draft.path, value: draft.yaml)]
        for (path, text) in files {
            do {
                let file = try DraftFile(for: path, replacing: force && path == draft.path)
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
                try handle.write(contentsOf: Data(text.utf8))
                try handle.close()
                try file.finish()
            } catch DraftFileError.exists {
                throw Exit.because("\(path) was made meanwhile: start again", Exit.failure)
            } catch {
                let reason = FileObstacle.sentence(making: path) ?? "cannot be written: its disk may be full"
                throw Exit.because("\(path) \(reason)", Exit.failure)
            }
            print("\(path): written")
        }
    }
}

/// What an operator does with a new configuration.
private struct NextSteps {
    let draft: ConfigurationDraft

    func say() {
        for provider in draft.providers {
            let uris = RegisteredURIs(
                provider: provider.id.text, others: draft.providers.map(\.id.text),
                loopbackHosts: ProviderTemplate.named[provider.id]?.loopbackHosts)
            print("\n\(provider.name), \(provider.console)")
            print("  " + uris.sentence(callback: draft.callback(of: provider), ofClients: []))
        }
        print("\nNext:")
        let user = ConfigurationOptions.serverUser
        // On a machine with the package, root makes the files of another user.
        let isForAnother = geteuid() == 0 && FileObstacle(reading: draft.path, as: user) != nil
        if isForAnother {
            print("  chown \(user): \(draft.files.map(ShellWord.of).joined(separator: " "))")
        }
        // The unit of the package reads this file.
        let isOfUnit = isForAnother && draft.path == ConfigurationOptions.installed
        for command in ["config check", "doctor"] + (isOfUnit ? [] : ["serve"]) {
            let prefix = isForAnother ? "sudo -u \(user) " : ""
            print("  \(prefix)token-exchange \(command) --config \(ShellWord.of(draft.path))")
        }
        if isOfUnit { print("  systemctl enable --now token-exchange") }
    }
}
