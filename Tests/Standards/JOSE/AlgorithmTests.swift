import JOSE
import Standards
import Testing

/// Tests with keys and signatures that joserfc made.
@Suite("Signature algorithms")
struct AlgorithmTests {
    struct Sample: Sendable {
        let algorithm: Algorithm
        let key: String
        let token: String
    }

    @Test("A token of each algorithm verifies with a key without alg, and with one that names it", arguments: samples)
    func each(_ sample: Sample) throws {
        let jws = try CompactJWS.parse(sample.token)
        let named = sample.key.dropLast() + #","alg":"\#(sample.algorithm.rawValue)"}"#
        for key in [sample.key, String(named)] {
            let keys = try JWKSet.parse(Array(#"{"keys":[\#(key)]}"#.utf8))
            #expect(try JWSVerifier.verify(jws, keys: keys, algorithms: [sample.algorithm]).subject?.text == "ana")
            let others = Set(Algorithm.allCases).subtracting([sample.algorithm])
            #expect(throws: JOSEError.algorithmNotAllowed) {
                try JWSVerifier.verify(jws, keys: keys, algorithms: others)
            }
        }
    }

    @Test("A token with a changed octet does not verify", arguments: samples)
    func changed(_ sample: Sample) throws {
        let keys = try JWKSet.parse(Array(#"{"keys":[\#(sample.key)]}"#.utf8))
        // The payload {"sub":"ana"}, and {"sub":"bea"}.
        let changed = try CompactJWS.parse(sample.token.replacing("eyJzdWIiOiJhbmEifQ", with: "eyJzdWIiOiJiZWEifQ"))
        #expect(throws: JOSEError.signatureInvalid) {
            try JWSVerifier.verify(changed, keys: keys, algorithms: [sample.algorithm])
        }
    }

    @Test("A key whose alg is another one of its type is not used")
    func otherAlgorithmOfType() throws {
        let sample = try #require(Self.samples.first { $0.algorithm == .ps256 })
        let key = sample.key.dropLast() + #","alg":"RS256"}"#
        let keys = try JWKSet.parse(Array(#"{"keys":[\#(key)]}"#.utf8))
        let jws = try CompactJWS.parse(sample.token)
        #expect(throws: JOSEError.unknownKey) {
            try JWSVerifier.verify(jws, keys: keys, algorithms: Set(Algorithm.allCases))
        }
    }

    @Test("All keys in one set: each token without kid finds its key")
    func oneSet() throws {
        let keys = try JWKSet.parse(Array(#"{"keys":[\#(Self.samples.map(\.key).joined(separator: ","))]}"#.utf8))
        // The six RSA entries are one key.
        #expect(keys.keys.count == 5 && keys.refused.isEmpty)
        for sample in Self.samples {
            let jws = try CompactJWS.parse(sample.token)
            _ = try JWSVerifier.verify(jws, keys: keys, algorithms: Set(Algorithm.allCases))
        }
    }

    private static let rsaKey = """
        {"n":"0JKrDaackSzNOG0mF-oRWdJI0DqGs4ZkPDhsVkpAjnQjzs9o1InLatbnJDtykkam2qmC0snxXkcCVgnq10M-JqUi2h5518TzBNX\
        ru8Z44Gc5vd1r0AXvPosG0tknjDnRSZPbQMrYUFXARM1R60KhOlf2X6ND2vHmj1oTdxJaqeE3znecF9GjR-AF4TYigsVH2PCfbRvC5K-7\
        9x24yuu62TG07Z5qO7KeZHZzxr6Q1NTIILKY7E1750EoB3R3uVPDNrRusS5jFmFKJlbXPCrSYt7ildXvxoQC18HGqCklbqPZQJ8ROtTfR\
        G3TE-4tTubCrT6u7xFrllF8vt0WellQww","e":"AQAB","kty":"RSA"}
        """

    static let samples = [
        Sample(
            algorithm: .rs256,
            key: rsaKey,
            token: """
                eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbmEifQ.lh3qg_LHATej_EYbFrR9xS3dTI-ZJUKKLiNzcIb9hGlB_9g37WXqop09ghLhvPEIR\
                2nXb6SIjC4dNuujULgVGTuwDu6Rcbe0F21fZu__1sbOsTMBIy0I0J4_fq1evQZ2hFNI5jjAo4NI29hSN3UoO58Y1pyLvFKoi8Oqjdzvb2\
                jRFIYvHFZFu6zY0QyvtILZaKHMYndBZg7oBQlXsh1bEmywW9byuq2_Hvc3mgH0ZE7VngEaFKRu6MNv1U9qwqYqYKmLL-uTndE-GHZMeLH\
                JegWUqqQl3cL65_ylHLVWcuoQuXfsr2TvLt3v-5ojE2Bu9V4n-9__RZVFJszDL9ibIw
                """),
        Sample(
            algorithm: .rs384,
            key: rsaKey,
            token: """
                eyJhbGciOiJSUzM4NCJ9.eyJzdWIiOiJhbmEifQ.NFg_NCCO9Tp-S-U3nlAZLq5meRZ2Fsxzp4Bpp0vIbHeQQWThl7EBmaMoPy-kGulxg\
                qSSOpT7Kc20vAeKd8YM2SAVd3LVPet_zDRTOTVtYKmsKE0mMek1EBsDNOFpWFpeeWQZqFSP40wrZCxRSl-pIr7sbjqjzUgXRpr1PpmA5h\
                wt1azhkgqxJeYwaCGH9Y6lxgNKApXb2HSsBbMNUUd14FuS1K476J1tYMxPkchGrEI-73ZQc1A1vov99g_wkMEWz2V5YklujFF3WiQKpVK\
                rnB-LU_t7aWa1MJk0Yb7NWcZoTGlAYZH0rBoEqsADBKLKbyih_TdngHLlCFIE8UBzNA
                """),
        Sample(
            algorithm: .rs512,
            key: rsaKey,
            token: """
                eyJhbGciOiJSUzUxMiJ9.eyJzdWIiOiJhbmEifQ.Uii1UyWrEok26HsBKd8PZQapsOVeoGPZDDy5RlrjsOf0rppk_rixqZ6WqYiCm3c12\
                fh0VsiMgFW0EtRGAm7l0ltRuDh9U8KWe2lEfWaggdCCBwGVYBZmR4d7WhUSZ-Vn8tHYWBW3WdSm-NmC3K9J1O9-iQJpW9F6VzXCwFzHaC\
                19asFO61_X6iyym1z-7znXItIllu9HimdvP0gTVJliUByjcMLcAKkJy68Qw6Zu76GYQkswTUZD00bxEEljIWC_p7zuHTgJeNPX5S286Gx\
                3-WzE2BbayJz7aXpgqBv2quS4iQCKfklL_J4q70ZQaTXtPPIorBfaNc8khGG4_zVGCA
                """),
        Sample(
            algorithm: .ps256,
            key: rsaKey,
            token: """
                eyJhbGciOiJQUzI1NiJ9.eyJzdWIiOiJhbmEifQ.J3nTpLD0IzxMWIBLuG0WoomA_AAKqt2MBLqPolpGOmEakGsf7Xz0YqUFQt_dZYOtO\
                coyCGfKNfpXZ2aB_XvD22EkYDBvGyjoKF-HJBqC-GBoxHw5ot8dJQy08v926VR1ewU5ELLFoc7gtVT012V2rNwZ67V23fnMC6Uf53Yh_V\
                vig99xR3Inxk5m5cY-BzZHe73ro93CUaE1AQ7WuT8936zfq8F7JyoBTDpOY7N713jmlDtFJBJedwsS6BfhOzamLyDU9QTe9rD-isKknAJ\
                Cu7vHQXL6ibU84Nd3kSthzh9dknC5bbXr_dxOK5vpGOlozmH-1P601KyU6o5q-cjTQw
                """),
        Sample(
            algorithm: .ps384,
            key: rsaKey,
            token: """
                eyJhbGciOiJQUzM4NCJ9.eyJzdWIiOiJhbmEifQ.d2nYGhjt4Rl8GjNz5wMJIS5j3asU5UqHrZ-fVGbsH6b8MNhG0609qsF8BFXwWDDPd\
                _0pE-dL6AcEJ4KHDWtcke9llycx0cqqOHimDSRW-ELT5HFHJA5SKFA-ihsNrBQMzXluGOR_LuDzBhME5Qn7du1UVkZnOufDilGOr__ovP\
                xjQkwhiCEHr0A0MMP0meE9qDB73O5FJQpaNl2sUSY_tp8R7v5MGPmDEwI4xaZ5QraBIEa2JxivjInZhdOUlV2kbjjonJl6ZxJlW2ojazm\
                evSvAJtg_i5zT-wRUyU4wuJ6rK-MA1E9d8PWuoQUM07g68c-kO0Ga9obXoQ4GHWTP0Q
                """),
        Sample(
            algorithm: .ps512,
            key: rsaKey,
            token: """
                eyJhbGciOiJQUzUxMiJ9.eyJzdWIiOiJhbmEifQ.yPc3Tj_fiy7IrlVZ9q-7q9_IpaiXLLh_cjwYsT4ryWWLAYezQgBCNWj_U6YVUOjU2\
                7SIFzGw6VvXs3-daw7kQlZC_k0bez2_UJHfNn35Y1itE3qnbBdvvHPRrrdncKPyWjI_kKhcPij0Z1UDfT6SLMAb8GAS9ubDQqFaF18H1l\
                _YaUitBQNpbVdJMvBrcoRseesO7TVxSTZw1qo0hz9iRoG91agmxB9cTuoG8KcfVIlplG4Zeyr-3J7CHs7xRQuSP9pi-F1cmskK7OS61PQ\
                E5kmfgIPRgbTQdth_sUY7j_JbW0ZltpfqjPiV_80f3Txx8-yGLe4Wn_eCn9nnlRAJbQ
                """),
        Sample(
            algorithm: .es256,
            key: """
                {"crv":"P-256","x":"Io-fdvIWSn0LvOHTpXGZBLfhpsEPrCaA6swHIs0nXKA","y":"OgvO6JMS-q1cwe_OB6sXQiXo4lW73TyMcaZ\
                95icGi9Y","kty":"EC"}
                """,
            token: """
                eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbmEifQ.nAryivKRbCoyuZONBM_dAyiBGhukD3euV0WlflGDH6DJxyOBfMYXpLcOyCoCZ7Eic\
                Z7XToWJwjcYGI5vJNXvzw
                """),
        Sample(
            algorithm: .es384,
            key: """
                {"crv":"P-384","x":"Xssw367QwnezXW9uLjd9Z3jxNBCE19jxU7Vat0tgaWMAIqKtFCHJ-DHVBLIL3Zb-","y":"jbA9-RY9qGOe_T\
                P-bFjLwFlChx-U7JnqvOx2qeNUGV_MaIPt5YRH9x0fvEEpadIE","kty":"EC"}
                """,
            token: """
                eyJhbGciOiJFUzM4NCJ9.eyJzdWIiOiJhbmEifQ.S4LhlUdA2VE8iBCOHPC7zeRmR5LxOia2jZsS9P1bzS4LCOxO00xPaivmCcZp-i0e1\
                wcFQMrw40pMaMvolFKwzFw40NDWb7iA8IiRRybFYK_vAF3oT3SU1ZSln1NZ1UX1
                """),
        Sample(
            algorithm: .es512,
            key: """
                {"crv":"P-521","x":"AZ5AL7Ise1n1WW5FeHC-AM6IxcIIvahsfOxRlw8a8hdnDkbOlMDyTBuQFFz3Gpb4jsdoD0rBLYgydqEu6r6pW\
                n7_","y":"Aa38S_ljuC-NvmxkQGO92qjyV1vsojZ0wrmPxdoNDVheSjx2CTXfuApxviA8VqzNbfMe3wc5dh72391GyViWfB7X","kty"\
                :"EC"}
                """,
            token: """
                eyJhbGciOiJFUzUxMiJ9.eyJzdWIiOiJhbmEifQ.AQ5KoKTanBAYeN_PcdXqBO_zT2m83yEwIbdHqqfSlrvTjP--9csJ4Baj3zByeTuaq\
                WshI1WGw8m_qhHGCPr_F1BeANvImLMKLy8AIg34ghtavsFYDw91Y7MJT66ttASWgOhF81VKlK1HWac9OJc7zHLDyK2HPafopX2IXm4YgD\
                8RKxka
                """),
        Sample(
            algorithm: .edDSA,
            key: """
                {"crv":"Ed25519","x":"06MpwEzxBNnGUxSceP_gknZxCSrIxYpnxOIcqngSw7U","kty":"OKP"}
                """,
            token: """
                eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbmEifQ.QCIM8E8Ivw6DVGXPB1Q4kDIpElwTeOnKpLPOX-XMEkxCJYBajICKIE8rAcCqkAdkU\
                qw6DNM0WFW-0y_VTlDrBQ
                """),
    ]
}
