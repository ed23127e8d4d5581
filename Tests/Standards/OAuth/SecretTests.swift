import Standards
import Testing

@Suite("Secrets")
struct SecretTests {
    private static let text = "hunter2-the-secret"
    private static let secret = Secret(text)

    /// The texts that result from a value by each accidental way of printing it.
    private static func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, terminator: "", to: &printed)
        var debugPrinted = ""
        debugPrint(value, to: &debugPrinted)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, printed, debugPrinted,
            Mirror(reflecting: value).children.map { "\($0)" }.joined(),
        ]
    }

    @Test("A secret appears in no text")
    func bare() {
        for text in Self.texts(of: Self.secret) {
            #expect(!text.contains(Self.text))
        }
        #expect("\(Self.secret)" == "[secret elided]")
    }

    @Test("A secret appears in no text of a value that contains it")
    func nested() throws {
        let verifier = try #require(CodeVerifier(Self.text + String(repeating: "x", count: 43)))
        let holders: [Any] = [
            [Self.secret], ["key": Self.secret], Optional(Self.secret) as Any, (Self.secret, 1),
            AccessToken(Self.text), RefreshToken(Self.text), UnverifiedIDToken(Self.text), verifier,
            TokenCredentials(identifier: Self.secret, sharedSecret: Self.secret),
            TemporaryCredentials(identifier: Self.secret, sharedSecret: Self.secret),
            ClientCredentials(identifier: "key", sharedSecret: Self.secret),
        ]
        for text in holders.flatMap({ Self.texts(of: $0) }) {
            #expect(!text.contains(Self.text))
        }
    }

    @Test("Two secrets match if all their octets are equal")
    func matching() {
        #expect(Self.secret.matches(Secret(Self.text)))
        #expect(!Self.secret.matches(Secret(Self.text + "x")))
        #expect(!Self.secret.matches(Secret(Self.text.uppercased())))
        #expect(!Self.secret.matches(Secret("")))
        #expect(!Secret("\u{E9}").matches(Secret("e\u{301}")))
    }

    @Test("An empty secret is empty, and another one is not")
    func empty() {
        #expect(Secret("").isEmpty)
        #expect(!Self.secret.isEmpty)
    }
}
