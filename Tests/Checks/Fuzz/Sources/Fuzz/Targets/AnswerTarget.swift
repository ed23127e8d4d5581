import Foundation
import Jansson
import Standards
import Transport

@testable import Exchange
@testable import Firebase
@testable import Providers

/// The documents and responses of providers and of Google.
enum AnswerTarget {
    private static let issuer = "https://op.example"

    static func check(_ input: [UInt8]) {
        checkMetadata(input)
        checkTokens(input)
        guard let answer = try? JSON.parse(tolerantly: input) else { return }
        checkProfile(answer)
        if let user = try? FirebaseUserRecord(answer) { demand(!user.uid.text.isEmpty, "a user has a uid") }
        for status in [400, 403, 503] { _ = IdentityToolkitError(OutboundResponse(status: status, body: input)) }
    }

    /// Checks that the metadata names only endpoints of the issuer (OpenID Connect Discovery §4.3).
    private static func checkMetadata(_ input: [UInt8]) {
        guard let found = try? ProviderMetadata.parse(input, issuer: issuer, overrides: EndpointOverrides()) else {
            return
        }
        demand(found.issuers == [issuer], "the issuer is the requested one")
        let endpoints = [found.authorization, found.token, found.jwks, found.userInfo, found.revocation]
        for endpoint in endpoints.compactMap(\.self) {
            // curl ends the authority at the first of these characters (RFC 3986 §3.2).
            let octets = endpoint.utf8
            demand(
                octets.starts(with: "https://".utf8) || areSame(endpoint.prefix(8).lowercased(), "https://"), "https")
            let authority = octets.dropFirst("https://".utf8.count).prefix { !"/?#\\".utf8.contains($0) }
            let host = String(decoding: authority, as: UTF8.self)
            let lowered = Array(host.lowercased().replacing(/:443$/, with: "").utf8)
            demand(
                lowered == Array("op.example".utf8) || lowered.suffix(11) == Array(".op.example".utf8)[...],
                "an endpoint has the issuer's host or a subdomain of it")
            demand(!lowered.contains(octet("@")), "an endpoint has no user information")
        }
    }

    /// Checks a response of the token endpoint (RFC 6749 §5).
    private static func checkTokens(_ input: [UInt8]) {
        let client = ProviderClient(id: "app", authentication: .none, tokenEndpoint: "https://op.example/token")
        let request = OutboundRequest(.post, client.tokenEndpoint, body: Array("code=SplxlOBeZQQYbYS6WxSbIA".utf8))
        for status in [200, 400, 500] {
            let header = [HeaderField("Content-Type", "application/json;charset=UTF-8")]
            let response = OutboundResponse(status: status, header: header, body: input)
            let codes = ErrorCodes(disabledAccounts: [63, 64])
            let tokens: TokenResponse
            do throws(Refusal) {
                tokens = try TokenResponse.parse(response, to: request, by: client, codes: codes, isOpenID: true)
            } catch {
                demand((error.words?.unicodeScalars.count ?? 0) <= 200, "what a provider says is short")
                demand(error.words?.contains("SplxlOBe") != true, "what a provider says contains no code")
                continue
            }
            demand(status == 200, "only a response with status 200 contains tokens")
            demand(tokens.accessToken?.secret.isEmpty != true, "an access token is not empty")
            demand(tokens.idToken?.secret.isEmpty != true, "an ID token is not empty")
            demand((1...315_360_000).contains(tokens.expiresIn ?? 1), "a lifetime is a number of seconds")
        }
    }

    private static func checkProfile(_ answer: JSON) {
        let mapping = ProfileMapping.openIDConnect
        if let subject = mapping.subject(in: answer) {
            demand((1...255).contains(subject.text.utf8.count), "a subject has 1 to 255 octets")
        }
        let profile = mapping.profile(in: answer, trusting: .claim)
        guard profile.isEmailVerified == true else { return }
        demand(answer["email_verified"] == .bool(true), "only the value true verifies an address")
        demand(profile.email != nil, "without an address nothing is verified")
    }
}
