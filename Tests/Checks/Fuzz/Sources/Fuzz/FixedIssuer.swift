import JOSE

/// The public keys of the fixed issuer, and every token that it signed.
///
/// The keys were made for this package. The private keys were deleted.
enum FixedIssuer {
    static let keys = demanded(try? JWKSet.parse(Array(document.utf8)), "the fixed keys can be read")

    static let tokens = tokenLines.split(separator: "\n").map(String.init)

    private static let document = """
        {"keys":[{"kty":"RSA","n":"uwFGUpVliepBjQgOvFZMbdxc1gAL3fiRYbjQGTq1zAlCMixoM7-513PnDsLRKFp5YdPpQEs5e9ZIRLn\
        4U9YhDHK4KvaICH8ITpHNH6UayCNAN_0nPnpTvoLU-HtF46BiXaoTEi5NAwKYezx7XomRyL2QprZmLTuk5Ebd3U_8OnLFuk4s5Ia_pQJt7\
        P6wW6UBqXXLO70NRN24PcZc8DhK6lnzy-MGKPJ5DA9rp-gyGX1YOJq5Q3a1pQPxBBXO5Rw9JM16_YmhRLMUIduxFyeBwTAjNCTybO0pg_M\
        lO2gTaanGgGpMKBwMqsRFjS59cJ8QFKFj7GphP8U8KulyVi55kw","e":"AQAB","kid":"rsa","alg":"RS256","use":"sig"},{"k\
        ty":"EC","crv":"P-256","x":"JcF7PTb82HmwrlyXb6rnnoSkGtNhUmpQIkdSlGQqGPk","y":"zb__fdZkxafozJVa4ObeRIJhXT3Z\
        lOdt5DIQHIvgFTE","kid":"ec","alg":"ES256","use":"sig"}]}
        """

    private static let tokenLines = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL29wLmV4YW1wbGUiLCJhdWQiOiJteS1hc\
        HAiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAwNjAwLCJub25jZSI6Im4ifQ.kVFfbrjLqL1XQWAysxme\
        SS9rp98fAvoFwZhQUuFnyVfmagyKvsERHO5GXPM3-IM7_sokOkj-mI6SMUB0bOtmBSjgsY2h8UoF1HEvPoRzR4zOQdLqIYqdJk21MCT22N\
        gWZqokgUGCaRoRwFrri1NDxc3fWRmgQXp47pE9wtVfBveIp_SdWTRE45prLBaicUpjAYWDPWbQz9b7k-tiDQrj4sqUtPcjhVVjx4s7XsXf\
        f8P4SJNuFa8Qb8kTAVycm1OJesA8xe3He6rW0e6PNDjxJqyP_B95O50KWi8BGQ8Purt_pdBmuXuVkNoAybiduVn1STSX9G-zi8gYL6Od4J\
        vEZA
        eyJhbGciOiJSUzI1NiJ9.e30.hda92dhR8QwfOK0uu2ZFvRGvSZq_Pr0J-D4Vbr5GDT78jK5pAdzOx8m-D4Ef70hpwZlZIe5Woz5YE8_LF\
        thXT5Pz6hJ5RL1mda684ZKCu6HdJr8JlFtg3rG456PDD9UjFE41se_TSUszFvsujIq0QwwXdTM1PyJTuAaGltQ6APAUsPf3PBCmSO5_pbY\
        6gT2Ll6UqXF7auXcoMBMkL2yEyx2IKnLT0Xx2PSakjJAMGfR2e5BK_UD8vrl9ljaKvGPu10f0RnBd18SAjinyGqlwBqODKW5bWbZGCN964\
        j94pSVyj1zPJKO5igWOYX1cftO3eD5nWzsNzB2fuh5vkAyMnw
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImVjIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL29wLmV4YW1wbGUiLCJhdWQiOiJteS1hcH\
        AiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAwNjAwLCJub25jZSI6Im4ifQ.tQgd9eIQntF0L4cD5Mwgk\
        -C9Yh3o6wK_UTB52hfa1BPQeNHfVyVMZXAlDhFOZtdVyRSZa8iRXOSNQ2Z1uMdGhA
        eyJhbGciOiJFUzI1NiJ9.e30.KlkdMbG_dwFG600mWKlLTFNWmDI6k2-6BCnuH_vXkgKJ-CRQZXwyPdOXAKFHwGwPPXAGrScTKJFfv1AN1\
        r_HHA
        """
}
