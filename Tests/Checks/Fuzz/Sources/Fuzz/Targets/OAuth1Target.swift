import Standards
import Transport

@testable import Exchange
@testable import Providers

/// The responses of an OAuth 1.0a server, and the signature base string.
enum OAuth1Target {
    static func check(_ input: [UInt8]) {
        for status in [200, 401, 500] { check(OutboundResponse(status: status, body: input)) }
        guard let text = String(validating: input, as: UTF8.self) else { return }
        let lines = Input(input, parts: 2)
        checkBaseString(url: lines.text(0) ?? text, form: lines.text(1) ?? "")
    }

    private static func check(_ response: OutboundResponse) {
        let codes = ErrorCodes(disabledAccounts: [63, 64])
        guard let credentials = try? TemporaryCredentialsResponse.parse(response, codes: codes) else { return }
        demand(response.status == 200, "only a response with status 200 contains credentials")
        demand(!credentials.identifier.isEmpty && !credentials.sharedSecret.isEmpty, "no half is empty")
        let pairs = response.body.split(separator: octet("&"))
        for name in ["oauth_token", "oauth_token_secret", "oauth_callback_confirmed"] {
            demand(pairs.count { isNamed(name, $0) } == 1, "\(name) occurs once")
        }
    }

    private static func isNamed(_ name: String, _ pair: ArraySlice<UInt8>) -> Bool {
        let encoded = String(decoding: pair.prefix { $0 != octet("=") }, as: UTF8.self)
        return PercentEncoding.decode(encoded, plusIsSpace: true).map { areSame($0, name) } ?? false
    }

    /// Checks the signature base string (RFC 5849 §3.4.1).
    private static func checkBaseString(url: String, form: String) {
        guard let parameters = try? Parameters.parse(form) else { return }
        let base = SignatureBaseString.make(method: "post", url: url, parameters: parameters.pairs)
        let parts = base.utf8.split(separator: octet("&"), omittingEmptySubsequences: false)
        demand(parts.count == 3, "there are three parts")
        demand(
            base.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == octet("%") || $0 == octet("&") },
            "every part is encoded")
        let reversed = SignatureBaseString.make(method: "POST", url: url, parameters: parameters.pairs.reversed())
        demand(areSame(base, reversed), "neither the order of parameters nor the case of the method counts")

        let query = url.utf8.drop { $0 != octet("?") }.dropFirst().split(separator: octet("&"))
        let normalized = PercentEncoding.decode(Substring(parts[2]), plusIsSpace: false) ?? ""
        demand(
            normalized.utf8.split(separator: octet("&")).count == query.count + parameters.pairs.count,
            "every parameter of query and form is covered")
    }
}
