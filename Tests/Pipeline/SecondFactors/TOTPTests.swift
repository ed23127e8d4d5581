import JOSE
import Standards
import Testing

@testable import SecondFactors

@Suite("Codes of second factors")
struct TOTPTests {
    /// The secret of RFC 6238, Appendix B.
    private let totp = TOTP(secret: Array("12345678901234567890".utf8))

    /// The last six digits of the codes in RFC 6238, Appendix B, for SHA-1.
    @Test(
        "A code equals that of RFC 6238, Appendix B",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func vectors(seconds: Int64, code: String) {
        #expect(totp.code(in: seconds / 30) == code)
        #expect(totp.step(of: code, at: NumericDate(seconds)) == seconds / 30)
    }

    @Test("A code is valid in its own step and in the ones beside it")
    func skew() {
        let code = totp.code(in: 1000)
        #expect(totp.step(of: code, at: NumericDate(30 * 998 + 29)) == nil)
        #expect(totp.step(of: code, at: NumericDate(30 * 999)) == 1000)
        #expect(totp.step(of: code, at: NumericDate(30 * 1001 + 29)) == 1000)
        #expect(totp.step(of: code, at: NumericDate(30 * 1002)) == nil)
    }

    @Test(
        "Base32 equals the test vectors of RFC 4648 §10, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func base32(text: String, encoded: String) {
        #expect(Base32.encode(Array(text.utf8)) == encoded)
    }

    @Test("A typed code is six digits or sixteen characters of base32; spaces and hyphens do not matter")
    func typed() {
        #expect(FactorCode(typed: " 123 456 ")?.text == "123456")
        #expect(FactorCode(typed: "abcd efgh-2345-6723")?.text == "ABCD-EFGH-2345-6723")
        #expect(RecoveryCode(typed: "ABCDEFGH23456723")?.text.secretText == "ABCD-EFGH-2345-6723")
        for text in ["", "12345", "1234567", "12345a", "ABCD-EFGH-2345-672", "ABCD-EFGH-2345-6721", "١٢٣٤٥٦"] {
            #expect(FactorCode(typed: text)?.text == nil, "\(text)")
        }
        for text in ["123456", "123 456", "123-456 "] { #expect(FactorCode.totp(text)?.text == "123456") }
        #expect(FactorCode.totp("12 456")?.text == nil)
        #expect(FactorCode.totp("١٢٣٤٥٦")?.text == nil)
    }
}

extension FactorCode {
    fileprivate var text: String {
        switch self {
        case .totp(let code): code.secretText
        case .recoveryCode(let code): code.text.secretText
        }
    }
}
