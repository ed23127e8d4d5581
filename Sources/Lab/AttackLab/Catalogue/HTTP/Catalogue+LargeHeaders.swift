extension Catalogue {
    static let largeHeaders: [Attack] = [
        header("HT-24a", "101 header fields come with a request.", "headers_too_large", 431) { request in
            for number in 0..<101 { request.fields.append(("X-\(number)", "a")) }
        },
        header("HT-24b", "17 KB of header fields come with a request.", "headers_too_large", 431) { request in
            for number in 0..<17 { request.fields.append(("X-\(number)", String(repeating: "a", count: 1000))) }
        },
        header("HT-24c", "A cookie of 20 KB comes with a request.", "headers_too_large", 431) { request in
            request.fields.append(("Cookie", "a=" + String(repeating: "b", count: 20_000)))
        },
        header("HT-24d", "A request target of 9 KB is sent.", "uri_too_long", 414) { request in
            request.target += "?" + String(repeating: "a", count: 9000)
        },
        Attack(
            "HT-24e", .http, .medium,
            "Header fields, names of header fields, targets and counts of fields come far beyond all limits.",
            oracle: "400, 414 or 431, or a hang-up.", source: "swift-nio's limits", needs: []
        ) { strike in
            let long = String(repeating: "a", count: 200_000)
            let many = (0..<5000).map { "X-\($0): a\r\n" }.joined()
            for head in [
                "GET /token HTTP/1.1\r\nHost: a\r\nX-A: \(long)\r\n\r\n", "GET /token HTTP/1.1\r\n\(long): a\r\n\r\n",
                "GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", "GET /token HTTP/1.1\r\nHost: a\r\n\(many)\r\n",
                "POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;\(long)\r\na\r\n0\r\n\r\n",
                "POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: \(long)\r\n\r\n",
            ] {
                await strike.fire(.raw(head), expecting: .status(400, 413, 414, 415, 431).orClosed)
            }
        },
        Attack(
            "HT-28", .http, .medium, "The browser flow is visited with hundreds of broken, doubled and binary cookies.",
            oracle: "A page of refusal, and never a 500.", source: "CWE-20", needs: [.browserFlow]
        ) { strike in
            let names = (0..<80).map { "__Host-flow-\($0)=\($0)" }.joined(separator: "; ")
            for cookie in [
                names, "=;=;=;;;", "a=b=c=d; =", "\u{0}\u{1}", "\"\\\"; \t", "flow=%00%ff; flow=%00", "ÿþ=ÿ",
            ] {
                let request = Request.get("/callback/\(strike.lab.application.provider)?code=a&state=b")
                    .with("Cookie", cookie)
                await strike.fire(request, expecting: .status(400).orClosed)
            }
        },
    ]

    private static func header(
        _ id: String, _ sentence: String, _ reason: String, _ status: Int,
        change: @escaping @Sendable (inout Request) -> Void
    ) -> Attack {
        Attack(
            id, .http, .medium, sentence, oracle: "\(status), \(reason).", source: "RFC 9110 15.5.15; RFC 6585 5",
            needs: []
        ) { strike in
            for target in ["/v1/nonce", "/v1/exchange", "/token"] {
                var request = Request.json(target, text: strike.nonceText)
                change(&request)
                await strike.fire(
                    request, expecting: .refused(reason, status: status, error: "invalid_request"))
            }
        }
    }
}
