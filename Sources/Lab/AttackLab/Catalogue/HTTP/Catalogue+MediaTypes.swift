extension Catalogue {
    static let mediaTypes = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-12a", "A good body of JSON is posted under every other media type.",
            oracle: "415 unsupported_media_type: what a form of another site can send is refused.",
            source: "Fetch 4.8 (CORS-safelisted types); practice"
        ) { strike in
            for type in [
                "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a",
                "application/jsonx",
                "application/json; charset=utf-16", "application/json; charset=latin1", "application/jwt", "text/json",
                "application/json, text/plain", "application/xml", "*/*", "application/json;", "application/vnd.a+json",
            ] {
                var request = strike.nonceRequest
                request.fields = type.isEmpty ? [] : [("Content-Type", type)]
                await strike.fire(request, expecting: .unsupportedMediaType)
            }
            var twice = strike.nonceRequest
            twice.fields.append(("Content-Type", "text/plain"))
            await strike.fire(twice, expecting: .unsupportedMediaType)
        },
        .sweep(
            "HT-12b", "A good form is posted to POST /token under every other media type.",
            oracle: "415 unsupported_media_type.", source: "RFC 6749 4.1.3",
            over: [
                "", "text/plain", "application/json", "multipart/form-data; boundary=a",
                "application/x-www-form-urlencodedx", "application/x-www-form-urlencoded; charset=utf-16",
                "application/x-www-form-urlencoded, text/plain",
            ]
        ) { strike, type in
            var request = Request.form("/token", [("grant_type", "authorization_code")])
            request.fields = type.isEmpty ? [] : [("Content-Type", type)]
            await strike.fire(request, expecting: .unsupportedMediaType)
        },
        .attack(
            "HT-12c", "Compressed bodies are posted, among them one that swells a thousandfold.", severity: .high,
            oracle: "415: compressed bodies are never inflated.", source: "CWE-409"
        ) { strike in
            // RFC 1952: a member whose deflate stream is stored; what is in it does not matter.
            let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x63, 0, 0, 0, 0xFF, 0xFF]
            for coding in ["gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "x-gzip", "compress"] {
                for target in ["/v1/nonce", "/v1/exchange"] {
                    let request = Request.json(target, text: gzip).with("Content-Encoding", coding)
                    await strike.fire(request, expecting: .unsupportedMediaType)
                }
                let form = Request.form("/token", [("a", "b")]).with("Content-Encoding", coding)
                await strike.fire(form, expecting: .unsupportedMediaType)
            }
        },
    )
}

extension Expectation {
    fileprivate static var unsupportedMediaType: Self {
        .refused("unsupported_media_type", status: 415, error: "invalid_request")
    }
}
