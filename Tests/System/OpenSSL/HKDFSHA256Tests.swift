import OpenSSL
import Testing

@Suite("HKDF with SHA-256")
struct HKDFSHA256Tests {
    @Test("The derived key is that of RFC 5869, appendix A.1")
    func basic() throws {
        let derived = try HKDFSHA256.derive(
            from: [UInt8](repeating: 0x0b, count: 22), salt: bytes(hexadecimal: "000102030405060708090a0b0c"),
            info: bytes(hexadecimal: "f0f1f2f3f4f5f6f7f8f9"), count: 42)
        #expect(
            derived
                == bytes(
                    hexadecimal: """
                        3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
                        """))
    }

    @Test("Without salt and info the derived key is that of RFC 5869, appendix A.3")
    func withoutSaltAndInfo() throws {
        let derived = try HKDFSHA256.derive(from: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [], count: 42)
        #expect(
            derived
                == bytes(
                    hexadecimal: """
                        8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
                        """))
    }

    @Test("A length of more than 255 blocks and an empty secret are refused", arguments: [(1, 8161), (0, 32)])
    func outOfRange(secretCount: Int, count: Int) throws {
        let secret = [UInt8](repeating: 1, count: secretCount)
        let error = #expect(throws: OpenSSLError.self) {
            try HKDFSHA256.derive(from: secret, salt: [1], info: [2], count: count)
        }
        #expect(error?.function == "EVP_KDF_derive")
        #expect(errorQueueIsEmpty())
    }
}
