import Fixtures
import JOSE
import Standards
import Testing

/// Tests with the sample response of Yahoo's guide "Getting Started": a real signature of 2015, with the issuer of that
/// time.
@Suite("Yahoo's published sample")
struct YahooSampleTests {
    private let idToken = """
        eyJhbGciOiJFUzI1NiIsImtpZCI6IjM0NjZkNTFmN2RkMGM3ODA1NjU2ODhjMTgzOTIxODE2YzQ1ODg5YWQifQ\
        .eyJhdF9oYXNoIjoiYWM5YkR3ejVMWjl5UEVpdWtEcGdzdz09Iiwic3ViIjoiVVFJRFdKTldWTlFENEdYWjVOR01aVVNUUTQiLCJhdWQiOiJkajB5\
        Sm1rOVdHeDBRbEUwVVdkQ2EwaEtKbVE5V1Zkck9XTnJOVWhYVm5CaFRraEZiV05IYnpsTlFTMHRKbk05WTI5dWMzVnRaWEp6WldOeVpYUW1lRDAxT0\
        EtLSIsImlzcyI6Imh0dHBzOi8vbG9naW4ueWFob28uY29tIiwiZXhwIjoxNDQzODI3MTMwLCJub25jZSI6IjEyMzQ1IiwiaWF0IjoxNDQzODIzNTMw\
        fQ\
        .n7oEFi5028StcI41Hkh6lLYK4PmF7pT4AIXrQ_62nfDEZj2g0oYjSLFPJp4IqF6LefwcCQ9FHT5X9eC8A7peqw
        """

    private let accessToken = """
        UNQO1djO5xpaKm3_KbECBKB5mlFr6tSZTOLrrJCprtT1X1UFljpxiS5iSue8u_n8ah1WbL6sTNw3HPFHicyXDbTs7aSrbIe\
        .rx9n9dzX7xZjx8dyF2Ap1a6J_nw4k56a5mCOuTd.ZFQENgGtHwM0DRFVeDNTAx_WzhqDGPCqhtsNICuuY30soFZGS11FTlUk7Gy0ISjxLRAjIZVt\
        pojnY5p8XuT1qUtAheWqZegJ_7t.AP4o0J4xJ3_oocXeiSKEXaD3AijdBdViKPZI3Ow7yeHK8uX1weNfKoSP6eEpCviyj0YlRMIBSg4cRdGL6EsSgg\
        X6B5gzgcA9efDSpcwVhupY0RlUdi.AxJ1nT0frWmrYiwntpu1XP_5mIbOlb4wfrD_ZCRNY2Qby40RBt5iHERSJ89K1o69fw3Jd4C3hF14iJLHcDHm\
        nYJSX651G9MlpGPWT99DRteCdhSm8URbZqfGPG8mZtLpmhfxr1umCoGEgocrfHpITMjOyEwvgmAhgjGKXugvdNTABn0AEQBetIVtJ80Ymbn6IMq_Qh\
        10vyspVsVK69C9yTlwLtZhcvim5Nk_15JHd0GSj0Mj.X.FWTzUK1e3CNQjeJxdQ2Qk9BXDC4_DXW_Ot5LzYy5qRvRKT4gh54n5aBROxFdky0ELt1I\
        gkLTRJ0idUCen87klP.0CLp1QTNXx99N6nM9c_HwWVKwhILUjzXaIrP0GVEMwlGIHqn2I91Z03irBgzrMB219lqUAuF27_OD4QnyQfICSW65n5hVo1\
        e89xwN6VN3usRrhHmdDfd7nk3nzMyXdsOPzghA1huBCYyEGZ_kq9FzVFQ5QYDmJ0WqpmG1yXDEntYVvkB_i_jkbNPH4.R134ptwznCZSuQ--
        """

    private let key = [
        "kty": #""EC""#, "alg": #""ES256""#, "use": #""sig""#, "crv": #""P-256""#,
        "kid": #""3466d51f7dd0c780565688c183921816c45889ad""#, "x": #""cWZxqH95zGdr8P4XvPd_jgoP5XROlipzYxfC_vWC61I""#,
        "y": #""rxX9OCD9rIaheKx6LAs4KWR6Rz1-Lj1phRCmdjUDL_I""#,
    ]

    private let expectation = ClaimsExpectation(
        issuers: ["https://login.yahoo.com"],
        audiences: ["dj0yJmk9WGx0QlE0UWdCa0hKJmQ9WVdrOWNrNUhXVnBhTkhFbWNHbzlNQS0tJnM9Y29uc3VtZXJzZWNyZXQmeD01OA--"],
        nonce: .oneOf(["12345"]), maximumAge: .seconds(600), maximumLifetime: .seconds(86_400), clockSkew: .seconds(60))

    @Test("The ID token verifies within its lifetime, and its at_hash is that of the access token")
    func verifies() throws {
        let claims = try JWSVerifier.verify(
            try CompactJWS.parse(idToken), keys: try TestIssuer.keySet(key), algorithms: [.es256])
        try expectation.check(claims, at: NumericDate(1_443_823_600))
        try AccessTokenHash.check(claims, accessToken: accessToken)
        #expect(claims.subject == "UQIDWJNWVNQD4GXZ5NGMZUSTQ4")
        #expect(throws: JOSEError.accessTokenHashMismatch) {
            try AccessTokenHash.check(claims, accessToken: accessToken + "x")
        }
        #expect(throws: JOSEError.expired(at: NumericDate(1_443_827_130), now: TestIssuer.now)) {
            try expectation.check(claims, at: TestIssuer.now)
        }
    }
}
