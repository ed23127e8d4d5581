import JOSE
import Jansson

/// The commands below `/yahoo`, which concern the keys of Yahoo's stand-in.
///
/// | call | effect |
/// | --- | --- |
/// | `POST /yahoo/rotate` `{"keep_old": true}` | a new signing key; the old one stays in the key set if asked |
/// | `POST /yahoo/sign` | ``SigningCommand``; returns `{"token", "kid"}` with the id of the key |
/// | `GET /yahoo/keys` | `{"issuer", "own_kid", "own_pem", "rsa_kid", "rsa_pem"}` with public keys in PEM |
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

/// A command to sign a token whose parts are given byte for byte.
///
/// They are neither parsed nor corrected.
///
/// ```json
/// {"header_text": "{\"alg\":\"ES256\"}", "payload_text": "{}", "key": "own"}
/// {"header_base64url": "_w", "payload_base64url": "", "key": "rsa"}
/// ```
/// Each part is given in one of the two forms. `key` is an ``IDTokenDefect/Signature``, by default `own`. It selects
/// only the signature: `alg` and `kid` are those of the given header.
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
    /// Reads the bytes of a part: `name_text` in UTF-8, or `name_base64url` decoded.
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
