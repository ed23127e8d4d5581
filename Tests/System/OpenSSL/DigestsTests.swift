import OpenSSL
import Testing

@Suite("Digests")
struct DigestTests {
    @Test("SHA-1 and SHA-256 give the digests of the FIPS 180-4 examples")
    func standardExamples() {
        let abc = Array("abc".utf8)
        #expect(SHA1.hash(abc) == bytes(hexadecimal: "a9993e364706816aba3e25717850c26c9cd0d89d"))
        #expect(SHA1.hash([]) == bytes(hexadecimal: "da39a3ee5e6b4b0d3255bfef95601890afd80709"))
        #expect(
            SHA256.hash(abc)
                == bytes(hexadecimal: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            SHA256.hash([])
                == bytes(hexadecimal: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    @Test("HMAC-SHA-1 gives the codes of RFC 2202 §3, cases 1 and 2")
    func hmacSHA1() {
        #expect(
            HMACSHA1.authenticationCode(for: Array("Hi There".utf8), key: [UInt8](repeating: 0x0b, count: 20))
                == bytes(hexadecimal: "b617318655057264e28bc0b6fb378c8ef146be00"))
        #expect(
            HMACSHA1.authenticationCode(for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
                == bytes(hexadecimal: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
    }

    @Test("HMAC-SHA-256 gives the codes of RFC 4231 §4.2 and §4.3")
    func hmacSHA256() {
        #expect(
            HMACSHA256.authenticationCode(for: Array("Hi There".utf8), key: [UInt8](repeating: 0x0b, count: 20))
                == bytes(hexadecimal: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
        #expect(
            HMACSHA256.authenticationCode(for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
                == bytes(hexadecimal: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    }

    @Test("An empty key and an empty message have a code, as RFC 2104 allows")
    func emptyKey() {
        #expect(
            HMACSHA256.authenticationCode(for: [], key: [])
                == bytes(hexadecimal: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
        #expect(
            HMACSHA1.authenticationCode(for: [], key: [])
                == bytes(hexadecimal: "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"))
    }
}
