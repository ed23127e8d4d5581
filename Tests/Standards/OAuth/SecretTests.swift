import OAuth
import Testing

@Suite("Secrets")
struct SecretTests {
    private static let text = "hunter2-the-secret"
    private static let secret = Secret(text)

    /// Something that holds a secret, in each of the ways in which values become text by accident.
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

    @Test("A secret shows itself in no text")
    func bare() {
        for text in Self.texts(of: Self.secret) {
            #expect(!text.contains(Self.text))
        }
        #expect("\(Self.secret)" == "[secret elided]")
    }

    @Test("A secret shows itself in no text of what holds it")
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

    @Test("Two secrets match when they agree in every octet")
    func matching() {
        #expect(Self.secret.matches(Secret(Self.text)))
        #expect(!Self.secret.matches(Secret(Self.text + "x")))
        #expect(!Self.secret.matches(Secret(Self.text.uppercased())))
        #expect(!Self.secret.matches(Secret("")))
        #expect(!Secret("\u{E9}").matches(Secret("e\u{301}")))
    }

    @Test("An empty one says so")
    func empty() {
        #expect(Secret("").isEmpty)
        #expect(!Self.secret.isEmpty)
    }
}
