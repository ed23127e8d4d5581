import Providers
import Settings
import Testing

@Suite("Built-in providers")
struct BuiltInProvidersTests {
    @Test("The configuration knows every template, and whether it uses PKCE")
    func templates() {
        let known = Settings.OpenIDConnectProvider.builtIn
        #expect(Set(known.keys) == Set(OpenIDConnectTemplate.named.keys))
        for (id, template) in OpenIDConnectTemplate.named {
            #expect(known[id]?.usesPKCE == (template.pkce == .s256), "\(id)")
            // A template without endpoints would need an issuer, which the configuration refuses for a built-in provider.
            #expect(template.endpoints != nil, "\(id)")
        }
    }
}
