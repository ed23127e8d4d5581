package import Accounts
package import Exchange
package import Firebase
package import Flows
package import Jansson
package import Minting
internal import OpenSSL
package import Providers
package import SecondFactors
package import Standards
internal import Stores
internal import Transport
package import Verification

/// A complete deployment whose peers, clock, randomness and store are controlled by the test.
///
/// Key sets and metadata are scripted from the beginning; token and user endpoints are not.
package struct Deployment: Sendable {
    package static let accountEmail = "minter@project.iam.gserviceaccount.com"

    package let clock = TestClock()
    package let random = TestRandom()
    package let peer = ScriptedPeer()
    package let store: FailingStore
    package let yahoo: Provider
    package let generic: Provider
    package let x: Provider
    package let exchanger: Exchanger
    package let verifier: Verifier
    package let accounts: AccountResolver
    package let minter: Minter
    package let hooks: Hooks
    package let secondFactors: SecondFactors
    package let google: Google
    package let flows: FlowSet

    package init(_ change: (inout DeploymentPlan) -> Void = { _ in }) throws {
        var plan = DeploymentPlan()
        change(&plan)
        let (transport, time, random) = (peer.transport, clock.source, random.source)
        store = try FailingStore(watchedSince: plan.watchedSince)
        yahoo = plan.yahoo.provider(Yahoo.id, transport: transport, time: time)
        generic = plan.generic.provider(Generic.id, transport: transport, time: time)
        x = Self.x(plan)
        exchanger = Exchanger(
            transport: transport, singleUse: SingleUse(store: store, time: time), time: time, random: random)
        verifier = Verifier(
            transport: transport, singleUse: SingleUse(store: store, time: time), findsAccounts: true, time: time,
            random: random)
        accounts = AccountResolver(
            directory: store, rule: plan.uidRule, emails: plan.emails, time: time, random: random)
        let signer = try plan.signer ?? Self.signer.get()
        minter = Minter(
            signer: signer, templates: ClaimTemplates(plan.claimTemplates), time: time)
        hooks = Hooks(
            plan.hooks, signer: signer, transport: transport, time: time, random: random,
            onFailure: plan.onHookFailure)
        secondFactors = SecondFactors(
            store: store, seal: StoreSeal(keys: try Self.keys(plan.storeKeys)), isPerTenant: plan.isPerTenant,
            time: time, random: random)
        google = Google(plan, transport: transport, time: time)
        flows = FlowSet(
            issuer: Self.issuer, clients: plan.clients, providers: [yahoo, generic, x],
            seal: Seal(keys: try Self.keys(plan.sealKeys)), storeSeal: StoreSeal(keys: try Self.keys(plan.storeKeys)),
            exchanger: exchanger, verifier: verifier, accounts: accounts,
            linker: AccountLinker(directory: store, time: time),
            secondFactors: secondFactors, authenticator: google.authenticator, appCheck: google.appCheck,
            toolkit: google.toolkit, firebaseSessions: google.firebaseSessions, minter: minter,
            hooks: hooks, rules: plan.rules, store: store,
            time: time, random: random, onProfileRefusal: plan.onProfileRefusal)
        let keys = try TestKeys.shared.keySet()
        peer.script(.get, Google.keys, .json(keys))
        peer.script(.get, Yahoo.keys, .json(keys))
        peer.script(.get, Generic.keys, .json(keys))
        peer.script(.get, Generic.metadata, .json(Generic.metadataText()))
    }

    /// Admits an account without a second factor.
    package func cleared(_ account: Account) async throws -> ClearedAccount {
        guard let admitted = try await secondFactors.clear(account, tenantID: nil) else {
            throw DeploymentError.secondFactor
        }
        return admitted
    }

    /// The issuer of the deployment, and the base of its callbacks.
    package static let issuer = "https://auth.example"

    private static func x(_ plan: DeploymentPlan) -> Provider {
        let template = TwitterTemplate()
        return Provider(
            id: X.id, name: "X",
            protocols: [
                "oauth1": .oauth1(
                    template.oauth1(
                        client: ClientCredentials(
                            identifier: X.consumerKey, sharedSecret: Secret(X.consumerSecret)),
                        requestsEmail: true)),
                "oauth2": .oauth2(
                    template.oauth2(
                        clientID: X.clientID, clientAuthentication: .clientSecretBasic(Secret(X.clientSecret)),
                        scopes: plan.xScopes)),
            ],
            defaultFlow: plan.xDefaultFlow, acceptedCredentials: plan.xAcceptedCredentials, allowedScopes: [],
            allowedParameters: TwitterTemplate.allowedParameters, emailTrust: .always, timeout: .seconds(10),
            profileRule: plan.xProfileRule)
    }

    package static func keys<Use>(_ secrets: [[UInt8]]) throws -> [SealingKey<Use>] {
        try secrets.map { octets in
            guard let key = SealingKey<Use>(octets) else { throw DeploymentError.sealKey }
            return key
        }
    }

    /// The signer of all deployments.
    private static let signer = Result {
        try CustomTokenSigner(serviceAccount: try serviceAccount(), threadCount: 1)
    }

    /// Returns a service account like one of the Google Cloud console.
    package static func serviceAccount() throws -> ServiceAccount {
        try ServiceAccount.parse(try serviceAccountFile())
    }

    /// Returns the file of the service account; `members` replace members, or remove them by `nil`.
    package static func serviceAccountFile(changing members: [String: JSON?] = [:]) throws -> [UInt8] {
        var file: [String: JSON] = [
            "type": .string("service_account"), "project_id": .string("project"),
            "private_key_id": .string("account-key-1"), "client_email": .string(accountEmail),
            "private_key": .string(try TestKeys.shared.account.pem()),
        ]
        for (name, value) in members { file[name] = value }
        return JSON.object(file).serialized()
    }
}

/// The deployment cannot be made, or does not have what the test needs.
package enum DeploymentError: Error {
    case sealKey
    /// The provider does not support the requested protocol.
    case noSuchProtocol
    /// The flow has no page before the provider.
    case noPage
    /// The account has a second factor.
    case secondFactor
}
