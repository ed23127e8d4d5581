import Standards
import Testing

@Suite("HTTP Basic authentication")
struct BasicAuthorizationTests {
    private func pair(_ field: String) throws -> String {
        let encoded = try #require(field.hasPrefix("Basic ") ? String(field.dropFirst(6)) : nil)
        return String(decoding: try #require(Base64.decode(encoded)), as: UTF8.self)
    }

    @Test("The field is the base64 of id and secret with a colon between")
    func baseline() throws {
        // The example of RFC 7617 §2, without the space, which RFC 6749 §2.3.1 encodes.
        #expect(
            BasicAuthorization.field(clientID: "Aladdin", clientSecret: Secret("opensesame"))
                == "Basic QWxhZGRpbjpvcGVuc2VzYW1l")
    }

    @Test("A long secret stays on one line")
    func oneLine() throws {
        let secret = String(repeating: "0123456789abcdef", count: 64)
        let field = BasicAuthorization.field(clientID: "client", clientSecret: Secret(secret))
        #expect(!field.utf8.contains(where: { $0 < 0x20 }))
        #expect(try pair(field) == "client:" + secret)
    }

    @Test("Id and secret are percent-encoded first, so that a colon in the id is not read as the separator")
    func encodedHalves() throws {
        let field = BasicAuthorization.field(clientID: "a:b", clientSecret: Secret("c d%\u{E9}"))
        #expect(try pair(field) == "a%3Ab:c%20d%25%C3%A9")
    }

    @Test(
        "A text that is not padded base64 is refused",
        arguments: ["QQ", "Q===", "QQ=", "Q Q=", "Q\nQ=", "QQ-=", "QUZZ="])
    func notBase64(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
