internal import ArgumentParser
internal import JOSE
internal import Jansson
@_spi(OperatorMinting) internal import Minting
internal import Settings
internal import Transport

struct Mint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint",
        abstract: "Makes a custom token for any uid, without verifying a user, for operators.",
        discussion: """
            Signs with the first service account of the configuration, by Google if the signer is iam, or by the process \
            that holds the key, which must allow the user that runs this command. Standard output contains only the token, for a user of firebase.tenant_id unless --tenant names another tenant of a client.

              token-exchange mint --uid yahoo.com:ABC --claims '{"role": "tester"}' --lifetime 300
            """)

    @OptionGroup var options: ConfigurationOptions

    @OptionGroup var tenant: TenantOptions

    @Option(help: "The Firebase user: 1 to 128 characters. If it begins with a hyphen, write --uid=UID.")
    var uid: String

    @Option(help: ArgumentHelp("Developer claims as a JSON object, at most 1000 bytes.", valueName: "json"))
    var claims = "{}"

    @Option(help: "The lifetime in seconds, at most 3600.")
    var lifetime = 300

    func validate() throws {
        guard (1...3600).contains(lifetime) else { throw ValidationError("--lifetime must be from 1 to 3600 seconds.") }
        if let damage = JSONText.damage(of: Array(claims.utf8)) {
            throw ValidationError("--claims must be a JSON object, such as '{\"role\": \"tester\"}', and \(damage).")
        }
    }

    func run() async throws {
        let settings = try await options.load()
        try await CommandTransport.use(settings) { try await mint(settings, $0) }
    }

    private func mint(_ settings: Settings, _ transport: HTTPTransport) async throws {
        let tenantID = try tenant.named(settings) ?? settings.firebase.tenantID
        let signer = try GoogleIdentity(
            settings.firebase, ServiceAccounts.load(settings).first, threadCount: 1, transport: transport,
            time: .system
        ).signer
        if case .emulator = settings.firebase.signing {
            Exit.say("this token is unsigned; only the Firebase emulator accepts it")
        }
        do {
            print(
                try await signer.token(
                    uid: uid, developerClaims: DeveloperClaims(JSON.parse(Array(claims.utf8)).object ?? [:]),
                    tenantID: tenantID, issuedAt: TimeSource.system.now(), lifetime: .seconds(lifetime)))
        } catch let error as MintingError {
            throw Exit.because(Self.sentence(error), Exit.failure)
        }
    }

    private static func sentence(_ error: MintingError) -> String {
        switch error {
        case .uidLength: "a uid must have 1 to 128 characters"
        case .reservedClaim(let name): "the claim \(name) is reserved by Firebase; choose another name"
        case .claimsTooLarge(let bytes): "the claims have \(bytes) bytes; at most 1000 are allowed"
        case .process(let cause): SignerProcessAdvice.text(for: cause)
        default: "signing failed: " + [error.sentence, error.advice].compactMap(\.self).joined(separator: ". ")
        }
    }
}
