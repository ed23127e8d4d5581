internal import HTTPTypes
internal import Hummingbird

/// Forms of our own pages come from our own pages.
enum SameOrigin {
    /// Browsers since 2023 say where a request comes from (Fetch Metadata); others are held to the cookie alone.
    static func check(_ request: Request) throws(RequestError) {
        guard let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name] else { return }
        guard site == "same-origin" else { throw .originNotAllowed }
    }
}
