import OpenSSL
import Testing

@Suite("AES-256-GCM")
struct AES256GCMTests {
    let key = try? AES256GCM(key: Array(0..<32))
    let associated = Array("which".utf8)

    @Test("Test case 16 of the GCM specification opens")
    func specificationExample() throws {
        let key = try AES256GCM(
            key: bytes(hexadecimal: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let sealed = bytes(
            hexadecimal: """
                cafebabefacedbaddecaf888
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                76fc6ece0f4e1768cddf8853bb2d551b
                """)
        let plaintext = bytes(
            hexadecimal: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                """)
        let associated = bytes(hexadecimal: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
        #expect(key.open(sealed, authenticating: associated) == plaintext)
    }

    @Test("A sealed message opens, including an empty one", arguments: [0, 1, 15, 16, 17, 5000])
    func roundTrip(count: Int) throws {
        let key = try #require(key)
        let plaintext = [UInt8](repeating: 7, count: count)
        let sealed = try key.seal(plaintext, authenticating: associated)
        #expect(sealed.count == count + 28)
        #expect(key.open(sealed, authenticating: associated) == plaintext)
        #expect(key.open(try key.seal(plaintext, authenticating: []), authenticating: []) == plaintext)
    }

    @Test("The same message is sealed differently each time")
    func nonceIsFresh() throws {
        let key = try #require(key)
        let sealed = try (0..<100).map { _ in try key.seal([1], authenticating: []) }
        #expect(Set(sealed.map { Array($0.prefix(12)) }).count == 100)
    }

    @Test("A message with any changed, missing or additional byte does not open")
    func tampering() throws {
        let key = try #require(key)
        let sealed = try key.seal(Array("message".utf8), authenticating: associated)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(key.open(changed, authenticating: associated) == nil)
        }
        for count in 0..<sealed.count {
            #expect(key.open(Array(sealed.prefix(count)), authenticating: associated) == nil)
        }
        #expect(key.open(sealed + [0], authenticating: associated) == nil)
        #expect(errorQueueIsEmpty())
    }

    @Test("A message does not open with other associated bytes or another key")
    func otherContext() throws {
        let key = try #require(key)
        let sealed = try key.seal(Array("message".utf8), authenticating: associated)
        #expect(key.open(sealed, authenticating: Array("other".utf8)) == nil)
        #expect(key.open(sealed, authenticating: []) == nil)
        let other = try AES256GCM(key: Array(1..<33))
        #expect(other.open(sealed, authenticating: associated) == nil)
        #expect(errorQueueIsEmpty())
    }

    @Test("A key of another length is refused", arguments: [0, 16, 24, 31, 33])
    func keyLength(count: Int) {
        #expect(throws: KeyError.unsupportedSize(bits: count * 8)) {
            try AES256GCM(key: [UInt8](repeating: 1, count: count))
        }
    }

    @Test("The key is not printed")
    func description() throws {
        let key = try #require(key)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "[key elided]")
        #expect(String(reflecting: key) == "[key elided]")
        #expect(!dumped.contains("31"))
    }
}
