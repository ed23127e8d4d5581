internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import OAuth
internal import Pages

extension Response {
    static func page(
        _ page: Page, by renderer: PageRenderer, for request: Request, status: HTTPResponse.Status
    ) -> Response {
        let language = PageLanguage.preferred(
            acceptLanguage: request.headers[.acceptLanguage],
            uiLocales: request.uri.queryParameters.get("ui_locales"))
        var response = Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue,
                .contentSecurityPolicy: renderer.contentSecurityPolicy(for: page),
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: renderer.html(page, in: language))))
        // RFC 9700 §4.16, for browsers that do not support frame-ancestors.
        if let name = HTTPField.Name("X-Frame-Options") { response.headers[name] = "DENY" }
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
