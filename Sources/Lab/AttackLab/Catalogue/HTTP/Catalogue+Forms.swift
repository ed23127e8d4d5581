extension Catalogue {
    static let forms: [Attack] = [
        form(
            "HT-10a", "A parameter is given twice, with the same value and with another, plain and encoded.",
            "duplicate_parameter",
            [
                "grant_type=authorization_code&code=a&code=b", "grant_type=authorization_code&code=a&code=a",
                "grant_type=authorization_code&grant_type=urn:x", "client_id=my-app&client_id=other-app",
                "grant_type=authorization_code&code=a&c%6fde=b", "client_id=a&redirect_uri=b&redirect%5Furi=c",
                "grant_type=authorization_code&code=&code=a",
            ]),
        form(
            "HT-10b", "Parameters are written as arrays and maps: `code[]=a`, `code[x]=a`, `code.a=b`.",
            "missing_field",
            [
                "grant_type=authorization_code&client_id=my-app&code[]=a&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type=authorization_code&client_id=my-app&code[x]=a&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type=authorization_code&client_id[]=my-app&code=a&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type=authorization_code&client_id=my-app&code.a=b&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type[]=authorization_code", "grant_type%00=authorization_code&a=b".replacing("%00", with: "%20"),
            ]),
        form(
            "HT-10c", "Percent-encoding is broken, or stands for NUL, for an overlong form or for half a character.",
            "malformed_body",
            [
                "grant_type=%zz", "grant_type=%", "grant_type=%1", "code=%00", "code=a%00b", "%00=a", "code=%c0%af",
                "code=%ed%a0%80", "code=%ff", "code=%f5%80%80%80", "code=%0a", "code=%7f", "code=%u0041",
            ]),
        form(
            "HT-10d", "Ten thousand parameters, names of 30 KB and empty parts make a form.",
            "malformed_body",
            [
                (0..<10_000).map { "a\($0)=" }.joined(separator: "&").prefix(65_000).description,
                String(repeating: "&", count: 60_000), String(repeating: "=", count: 60_000),
                String(repeating: "a", count: 30_000) + "=b&" + String(repeating: "b", count: 30_000) + "=c", "", "&",
                "=",
            ], or: ["missing_field", "duplicate_parameter"]),
        Attack(
            "HT-10e", .http, .medium, "A form holds raw bytes that are not UTF-8.", oracle: "400 malformed_body.",
            source: "CWE-20", needs: [], reveals: [.crashOnGarbage]
        ) { strike in
            for bytes: [UInt8] in [
                [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x61, 0x3D, 0xC3], [0x80, 0x3D, 0x80],
            ] {
                var request = Request.form("/token", [])
                request.body = bytes
                await strike.fire(request, expecting: .malformed("malformed_body"))
            }
        },
        Attack(
            "HT-10f", .http, .medium, "A query of the browser flow is broken in all ways that a form may be.",
            oracle: "A page of refusal.", source: "RFC 6749 3.1", needs: [.browserFlow]
        ) { strike in
            for query in [
                "code=a&code=b&state=c", "state=a&state=b&code=c", "code=%zz&state=a", "code=%00&state=a",
                "code=%c0%af&state=a", "code[]=a&state=b", String(repeating: "&", count: 5000), "%", "=", "code&state",
            ] {
                await strike.fire(
                    .get("/callback/\(strike.lab.application.provider)?" + query), expecting: .page(400))
                await strike.fire(.get("/authorize?" + query), expecting: .page(400))
            }
        },
    ]

    private static let verifier = String(repeating: "v", count: 43)

    private static func form(
        _ id: String, _ sentence: String, _ reason: String, _ texts: [String], or others: Set<String> = []
    ) -> Attack {
        Attack(
            id, .http, .medium, sentence, oracle: "400 \(reason).", source: "RFC 6749 3.2; CWE-235", needs: []
        ) { strike in
            for text in texts {
                var request = Request.form("/token", [])
                request.body = Array(text.utf8)
                await strike.fire(
                    request,
                    expecting: Expectation(
                        statuses: [400], errors: ["invalid_request"], reasons: others.union([reason])))
            }
        }
    }
}
