internal import ArgumentParser
internal import JOSE
internal import OpenSSL
internal import OperatingSystem
internal import Settings

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Makes the keys of seal_keys and store_keys.", subcommands: [CreateKeys.self])
}

struct CreateKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes random keys, 32 bytes each in base64url, and says what to write in the configuration.",
        discussion: """
            Standard output has only the keys, as lines for a file of variables, and standard error what to do with them. \
            With --only it is one key without a name. With --gcp-secret it has no key, but the commands of a shell that \
            store new ones in Secret Manager: no key is then an argument, in the history of the shell or on the screen.

              token-exchange keys create > keys.env
              token-exchange keys create --gcp-secret --project my-project | sh
            """)

    private enum Purpose: String, ExpressibleByArgument, CaseIterable {
        case seal
        case store

        var key: String { "\(rawValue)_keys" }
        var variable: String { "\(rawValue.uppercased())_KEY" }
        var secret: String { "token-exchange-\(rawValue)-key" }
    }

    @Option(help: "Make only the key for seal_keys or for store_keys, and print nothing else.")
    private var only: Purpose?

    @Flag(name: .customLong("gcp-secret"), help: "Print commands that store new keys in Secret Manager.")
    var usesSecretManager = false

    @Option(help: ArgumentHelp("With --gcp-secret: the project. Default: that of gcloud.", valueName: "id"))
    var project: String?

    func validate() throws {
        guard let project else { return }
        guard usesSecretManager else { throw ValidationError("--project belongs to --gcp-secret.") }
        // It becomes a part of commands.
        guard CloudSecretName("projects/\(project)/secrets/key/versions/1") != nil else {
            throw ValidationError("--project must be the id of a project, such as my-project.")
        }
    }

    func run() throws {
        let purposes = only.map { [$0] } ?? Purpose.allCases
        guard !usesSecretManager else { return explainSecretManager(purposes) }
        try ProcessMemory.requireHidden()
        for purpose in purposes {
            let key = try Self.newKey()
            print(only == nil ? "\(purpose.variable)=\(key)" : key)
        }
        guard only == nil else { return }
        Exit.say(
            "keep these variables where only the server can read them, the same at every server of a store, and write in the "
                + "configuration:\n" + lines(purposes) { "env:\($0.variable)" })
    }

    /// Makes a key as the configuration contains it.
    static func newKey() throws -> String {
        do {
            return Base64URL.encode(try SecureRandom.bytes(32))
        } catch {
            throw Exit.because("OpenSSL has no random bytes", Exit.failure)
        }
    }

    private func explainSecretManager(_ purposes: [Purpose]) {
        let option = project.map { " --project \($0)" } ?? ""
        for purpose in purposes {
            print(
                "token-exchange keys create --only \(purpose) | gcloud secrets create \(purpose.secret)\(option) "
                    + "--replication-policy automatic --data-file=-")
        }
        let grants = purposes.map {
            "  gcloud secrets add-iam-policy-binding \($0.secret)\(option) --member serviceAccount:ADDRESS "
                + "--role roles/secretmanager.secretAccessor"
        }
        Exit.say(
            "run the commands of standard output, allow the service account of the server to read them:\n"
                + grants.joined(separator: "\n") + "\nand write in the configuration:\n"
                + lines(purposes) { "gcp-secret:\($0.secret)" })
    }

    private func lines(_ purposes: [Purpose], _ reference: (Purpose) -> String) -> String {
        purposes.map { "  \($0.key): [\(reference($0))]" }.joined(separator: "\n")
    }
}
