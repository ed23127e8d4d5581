internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import NIOCore

extension Response {
    static func json(_ content: JSON, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.serialized())))
    }

    static func refusal(_ refusal: Refusal, requestID: String, environment: BackendEnvironment) -> Response {
        var refusal = refusal
        if environment.makes(.inputEchoed), let input = refusal.input { refusal.sentence += " Got: \(input)" }
        var response = json(refusal.json(requestID: requestID), status: .init(code: refusal.status))
        response.annotate(refusal)
        return response
    }

    mutating func annotate(_ refusal: Refusal) {
        headers[.allow] = refusal.allowed
        headers[.retryAfter] = refusal.retryAfter.map(String.init)
        headers[.wwwAuthenticate] = refusal.challenge
        if refusal.status == 413 { headers[.connection] = "close" }
    }

    /// A redirect with 303, so that the browser does not send a form again (RFC 9700 section 4.12).
    static func seeOther(_ location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location])
    }

    /// A page with one sentence and an optional form.
    static func page(_ sentence: String, form: String = "", status: Int = 200) -> Response {
        let html = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head>
            <body><main><h1>Sign in</h1><p>\(sentence)</p>\(form)</main></body></html>
            """
        return Response(
            status: .init(code: status), headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Adds the security fields of every response, and the stricter ones of pages.
    mutating func protect(requestID: String) {
        set("X-Request-Id", requestID)
        headers[.cacheControl] = "no-store"
        set("Pragma", "no-cache")
        headers[.xContentTypeOptions] = "nosniff"
        set("Referrer-Policy", "no-referrer")
        headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        if headers[.contentType]?.hasPrefix("text/html") ?? false {
            headers[.contentSecurityPolicy] = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
            set("X-Frame-Options", "DENY")
        }
    }

    mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { headers[name] = value }
    }
}
