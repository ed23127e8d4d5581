internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Standards

extension Response {
    static func page(
        _ page: Page, by renderer: PageRenderer, in language: PageLanguage, branding: PageBranding?,
        status: HTTPResponse.Status
    ) -> Response {
        var response = Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue,
                .contentSecurityPolicy: renderer.contentSecurityPolicy(for: page, branding: branding),
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: renderer.html(page, in: language, branding: branding))))
        // RFC 9700 §4.16, for browsers that do not support frame-ancestors.
        if let name = HTTPField.Name("X-Frame-Options") { response.headers[name] = "DENY" }
        return response
    }

    /// Responds with the image of a logo.
    ///
    /// Its path contains its digest, so that browsers and proxies may keep it without asking again.
    static func logo(_ logo: Branding.Logo) -> Response {
        var response = Response(
            status: .ok,
            headers: [.contentType: logo.mediaType, .cacheControl: "public, max-age=31536000, immutable"],
            body: .inPieces(logo.bytes))
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") { response.headers[name] = "same-origin" }
        return response
    }

    /// Keeps the connection of the window to the page that opened it, even if a proxy adds a policy to other responses.
    mutating func allowOpener() {
        if let name = HTTPField.Name("Cross-Origin-Opener-Policy") { headers[name] = "unsafe-none" }
    }

    /// Redirects with 303, so that the browser does not post the form again (RFC 9700 §4.12).
    static func seeOther(_ location: Secret) -> Response {
        Response(status: .seeOther, headers: [.location: location.secretText])
    }
}

extension PageLanguage {
    /// The language of the response to a request.
    init(for request: Request, _ cookies: BrowserCookies) {
        self = .preferred(
            acceptLanguage: request.headers[.acceptLanguage],
            uiLocales: request.uri.queryParameters.get("ui_locales"), chosen: cookies.language)
    }

    /// The language that the person has chosen with the switch of a page; `nil` if the form was sent by another button.
    init?(chosenIn form: Standards.Parameters) throws(Refusal) {
        guard let tag = form["language"] else { return nil }
        guard let language = Self(rawValue: tag) else { throw .parameterMalformed("language") }
        self = language
    }
}
