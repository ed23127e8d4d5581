import JOSE
import Jansson

/// What the control listener has below `/yahoo`: the keys of Yahoo's stand-in.
///
/// | call | does |
/// | --- | --- |
/// | `POST /yahoo/rotate` `{"keep_old": true}` | a new signing key; the old one stays in the key set or does not |
/// | `POST /yahoo/sign` | ``SigningCommand``; answers `{"token", "kid"}`, the id being the one that the key has |
/// | `GET /yahoo/keys` | `{"issuer", "own_kid", "own_pem", "rsa_kid", "rsa_pem"}`: public halves in PEM |
struct YahooControl: ControlSection {
    let yahoo: YahooStandIn

    func answer(
        _ request: IncomingRequest, command: () throws(ControlError) -> JSON
    ) async throws(ControlError) -> Answer? {
        switch (request.method, request.path) {
        case ("POST", "/yahoo/rotate"):
            var input = try ControlInput(try command())
            let keepsOld = try input.bool("keep_old") ?? true
            try input.finish()
            return .json(.object(["kid": .string(try await yahoo.rotate(keepingOld: keepsOld))]))
        case ("POST", "/yahoo/sign"):
            return .json(try await yahoo.sign(try SigningCommand(try command())))
        case ("GET", "/yahoo/keys"):
            return .json(try await yahoo.signingKeys())
        default:
            return nil
        }
    }
}

/// A token whose parts are given to the byte; nothing of them is read, nor mended.
///
/// ```json
/// {"header_text": "{\"alg\":\"ES256\"}", "payload_text": "{}", "key": "own"}
/// {"header_base64url": "_w", "payload_base64url": "", "key": "rsa"}
/// ```
/// Each part is given in one of the two ways. `key` is ``IDTokenDefect/Signature``, `own` unless said otherwise; it
/// decides on the signature alone, and `alg` and `kid` are whatever the header says.
struct SigningCommand {
    let header: [UInt8]
    let payload: [UInt8]
    let signature: IDTokenDefect.Signature

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        header = try input.bytes("header")
        payload = try input.bytes("payload")
        signature = try input.word("key") ?? .own
        try input.finish()
    }
}

extension ControlInput {
    /// `name_text` in UTF-8, or what `name_base64url` decodes to.
    fileprivate mutating func bytes(_ name: String) throws(ControlError) -> [UInt8] {
        switch (try string("\(name)_text"), try string("\(name)_base64url")) {
        case (let text?, nil):
            return Array(text.utf8)
        case (nil, let encoded?):
            guard let bytes = try? Base64URL.decode(encoded) else {
                throw .invalid(member: "\(name)_base64url", expected: "base64url without padding")
            }
            return bytes
        default:
            throw .invalid(member: "\(name)_text", expected: "a string, either here or as \(name)_base64url")
        }
    }
}
