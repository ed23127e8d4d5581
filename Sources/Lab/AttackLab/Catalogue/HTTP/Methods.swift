internal import Jansson

extension Catalogue {
    static let methods = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-06a", "TRACE is sent with a secret in a header field.", severity: .low,
            oracle: "The server responds with 400, 404, 405 or 501 and does not echo the field.",
            source: "RFC 9110 9.3.8"
        ) { context in
            let canary = try await context.canary()
            for target in ["/v1/nonce", "/token", "/", "/authorize", "*"] {
                let request = Request("TRACE", target).with("Cookie", canary).with("X-\(canary)", canary)
                await context.fire(request, expecting: .status(400, 404, 405, 501).orClosed)
            }
        },
        .attack(
            "HT-06b", "Methods that no endpoint supports are sent: CONNECT, PRI, PROPFIND, one of 1 KB, get.",
            severity: .low, oracle: "The server responds with 400, 404, 405 or 501, or closes the connection.",
            source: "RFC 9110 9.1"
        ) { context in
            let long = String(repeating: "A", count: 1024)
            for line in [
                "CONNECT example.com:443", "CONNECT /v1/nonce", "OPTIONS *", "PRI *", "FOO /v1/nonce",
                "PROPFIND /v1/nonce", "\(long) /v1/nonce", "get /v1/nonce", "Post /v1/nonce", "post /token",
                "M-SEARCH *", "PURGE /token", "DEBUG /", "LINK /v1/nonce", "0 /v1/nonce",
            ] {
                await context.fire(
                    .raw("\(line) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
                    expecting: .status(400, 404, 405, 501).orClosed)
            }
        },
        .attack(
            "HT-06c", "Each sign-in endpoint is called with every method that it does not support.",
            oracle: "The server responds with 405, and `Allow` names the right method.", source: "RFC 9110 15.5.6"
        ) { context in
            for (target, allowed) in [("/v1/exchange", "POST"), ("/v1/nonce", "POST"), ("/token", "POST")] {
                await context.expectNotAllowed(["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"], target, allowed)
            }
            await context.expectNotAllowed(
                ["POST", "PUT", "DELETE", "HEAD"], "/.well-known/oauth-authorization-server", "GET")
        },
        .attack(
            "HT-06d", "Each endpoint of the API description is called with every method that it does not support.",
            oracle: "The server responds with 405, and `Allow` names the right method.", source: "RFC 9110 15.5.6",
            needs: [.accounts, .pushedRequests, .deviceGrant, .anonymous]
        ) { context in
            let answer = try await context.honest(.get("/openapi.json"))
            let description = try JSON.parse(answer.body, maximumBytes: 1 << 20, maximumDepth: 32)
            let paths = (description["paths"]?.object ?? [:]).sorted { $0.key < $1.key }
            guard !paths.isEmpty else { throw Inconclusive("The API description names no path.") }
            for (path, item) in paths {
                let allowed = (item.object ?? [:]).keys.map { $0.uppercased() }
                await context.expectNotAllowed(
                    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].filter { !allowed.contains($0) },
                    path.replacing(/\{.*}/, with: "x"), allowed.joined(separator: ", "))
            }
        },
        .attack(
            "HT-06e", "A header field or a parameter asks for a method other than that of the request line.",
            oracle: "The server ignores it and uses the method of the request line.", source: "CVE-2014-0130; practice"
        ) { context in
            for field in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"] {
                await context.fire(
                    .get("/v1/nonce").with(field, "POST"),
                    expecting: .methodNotAllowed)
            }
            await context.fire(.get("/token?_method=POST"), expecting: .status(405))
        },
    )
}

extension AttackContext {
    fileprivate func expectNotAllowed(_ methods: [String], _ target: String, _ allowed: String) async {
        for method in methods {
            let reply = await fire(Request(method, target), expecting: .status(405))
            let named = reply.answer?.field("allow")?.components(", ").sorted()
            await expect(
                named == allowed.components(", ").sorted(), .wrongAnswer,
                "The response to \(method) \(target) does not have `Allow: \(allowed)`.")
        }
    }
}

extension Catalogue {
    static let mediaTypes = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-12a", "A valid JSON body is posted with every other media type.",
            oracle: "The server responds with 415 unsupported_media_type: it refuses the media types of HTML forms.",
            source: "Fetch 4.8 (CORS-safelisted types); practice"
        ) { context in
            for type in [
                "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a",
                "application/jsonx",
                "application/json; charset=utf-16", "application/json; charset=latin1", "application/jwt", "text/json",
                "application/json, text/plain", "application/xml", "*/*", "application/json;", "application/vnd.a+json",
            ] {
                var request = context.nonceRequest
                request.fields = type.isEmpty ? [] : [("Content-Type", type)]
                await context.fire(request, expecting: .unsupportedMediaType)
            }
            var twice = context.nonceRequest
            twice.fields.append(("Content-Type", "text/plain"))
            await context.fire(twice, expecting: .unsupportedMediaType)
        },
        .sweep(
            "HT-12b", "A valid form is posted to /token with every other media type.",
            oracle: "The server responds with 415 unsupported_media_type.", source: "RFC 6749 4.1.3",
            over: [
                "", "text/plain", "application/json", "multipart/form-data; boundary=a",
                "application/x-www-form-urlencodedx", "application/x-www-form-urlencoded; charset=utf-16",
                "application/x-www-form-urlencoded, text/plain",
            ]
        ) { context, type in
            var request = Request.form("/token", [("grant_type", "authorization_code")])
            request.fields = type.isEmpty ? [] : [("Content-Type", type)]
            await context.fire(request, expecting: .unsupportedMediaType)
        },
        .attack(
            "HT-12c", "Compressed bodies are posted, one of which expands a thousandfold.", severity: .high,
            oracle: "The server responds with 415: it never decompresses a body.", source: "CWE-409"
        ) { context in
            // RFC 1952: a gzip member with a stored block; its content does not matter.
            let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x63, 0, 0, 0, 0xFF, 0xFF]
            for coding in ["gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "x-gzip", "compress"] {
                for target in ["/v1/nonce", "/v1/exchange"] {
                    let request = Request.json(target, text: gzip).with("Content-Encoding", coding)
                    await context.fire(request, expecting: .unsupportedMediaType)
                }
                let form = Request.form("/token", [("a", "b")]).with("Content-Encoding", coding)
                await context.fire(form, expecting: .unsupportedMediaType)
            }
        },
    )
}
