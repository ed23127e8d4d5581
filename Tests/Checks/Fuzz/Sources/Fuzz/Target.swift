/// One kind of untrusted bytes, and the rules that hold for all of them.
///
/// Its seeds are in `Corpus/<name>`.
struct Target: Sendable {
    let name: String
    let check: @Sendable (_ input: [UInt8]) -> Void

    static let all = [
        Target(name: "base64url", check: Base64URLTarget.check),
        Target(name: "json", check: JSONTarget.check),
        Target(name: "form", check: FormTarget.check),
        Target(name: "jws", check: JWSTarget.check),
        Target(name: "claims", check: ClaimsTarget.check),
        Target(name: "jwks", check: JWKSTarget.check),
        Target(name: "pem", check: PEMTarget.check),
        Target(name: "redirect-uri", check: RedirectURITarget.check),
        Target(name: "callback-url", check: CallbackURLTarget.check),
        Target(name: "oauth1", check: OAuth1Target.check),
        Target(name: "sealed", check: SealedTarget.check),
        Target(name: "answer", check: AnswerTarget.check),
        Target(name: "header", check: HeaderTarget.check),
        Target(name: "proxy", check: ProxyTarget.check),
        Target(name: "configuration", check: ConfigurationTarget.check),
    ]
}
