import Fixtures
import JOSE
import Providers
import Standards
import Testing
import Transport

@Suite("The permissions and features of a provider")
struct ProviderTests {
    private static let template = TwitterTemplate()

    private static func provider(
        _ protocols: [String: SignInProtocol], defaultFlow: String, parameters: Set<String> = [],
        scopes: Set<String> = [], maximumCalls: Int = 3
    ) -> Provider {
        Provider(
            id: ProviderID("twitter.com"), name: "X", protocols: protocols, defaultFlow: defaultFlow,
            acceptedCredentials: [], allowedScopes: scopes, allowedParameters: parameters, emailTrust: .always,
            timeout: .seconds(1), maximumCalls: maximumCalls)
    }

    /// Can ask for a fresh login.
    private static let oauth1 = SignInProtocol.oauth1(
        template.oauth1(
            client: ClientCredentials(identifier: "key", sharedSecret: Secret("secret")), requestsEmail: false))
    /// Cannot.
    private static let oauth2 = SignInProtocol.oauth2(
        template.oauth2(clientID: "id", clientAuthentication: .none, scopes: ["users.read"]))

    @Test("A new login uses the named flow, else the default one, else the first that can request one")
    func freshLogin() {
        let both = Self.provider(["a": Self.oauth1, "b": Self.oauth2, "c": Self.oauth1], defaultFlow: "c")
        #expect(both.flowForFreshLogin(nil) == "c")
        #expect(both.flowForFreshLogin("a") == "a")
        #expect(both.flowForFreshLogin("b") == nil, "Another flow than the one that is named is never taken.")
        #expect(both.flowForFreshLogin("none") == nil)
        let other = Self.provider(["a": Self.oauth1, "b": Self.oauth2, "c": Self.oauth1], defaultFlow: "b")
        #expect(other.flowForFreshLogin(nil) == "a")
        #expect(Self.provider(["b": Self.oauth2], defaultFlow: "b").flowForFreshLogin(nil) == nil)
    }

    @Test("offline_access is allowed to every application, and sent only if the configuration lists it")
    func offlineAccess() {
        let scopes = ["users.read", "offline_access"]
        for flow in ["a", "b"] {
            let plain = Self.provider(["a": Self.oauth1, "b": Self.oauth2], defaultFlow: flow)
            #expect(plain.allows(scopes: flow == "a" ? ["offline_access"] : scopes, flow: nil))
            #expect(!plain.allows(scopes: scopes + ["tweet.write"], flow: nil))
            #expect(plain.sent(scopes) == ["users.read"])
        }
        let listing = Self.provider(["b": Self.oauth2], defaultFlow: "b", scopes: ["offline_access"])
        #expect(listing.allows(scopes: scopes, flow: nil) && listing.sent(scopes) == scopes)
    }

    @Test("Scopes and parameters are compared by octets")
    func octets() {
        let provider = Self.provider(
            ["b": Self.oauth2], defaultFlow: "b", parameters: ["caf\u{E9}"], scopes: ["caf\u{E9}"])
        #expect(provider.allows(parameter: "caf\u{E9}") && !provider.allows(parameter: "cafe\u{301}"))
        #expect(!provider.allows(parameter: "lang"))
    }

    @Test("Calls for tokens and calls for users have two queues, of the configured length")
    func queues() {
        let provider = Self.provider(["b": Self.oauth2], defaultFlow: "b")
        #expect(provider.queue(.token) != provider.queue(.user))
        #expect(provider.queue(.token).limit == 3 && provider.queue(.user).limit == 3)
        #expect(provider.queue(.user) == Self.provider(["b": Self.oauth2], defaultFlow: "b").queue(.user))
    }
}
