import Jansson

/// What the control listener has below `/yahoo`: the keys of Yahoo's stand-in.
///
/// | call | does |
/// | --- | --- |
/// | `POST /yahoo/rotate` `{"keep_old": true}` | a new signing key; the old one stays in the key set or does not |
/// | `POST /yahoo/sign` | ``SigningOrder``; answers `{"token", "kid"}`, the id being the one that the key has |
/// | `GET /yahoo/keys` | `{"issuer", "own_kid", "own_pem", "rsa_kid", "rsa_pem"}`: public halves in PEM |
struct YahooPanel: PartyPanel {
    let yahoo: YahooStandIn

    func answer(
        _ request: IncomingRequest, order: () throws(ControlError) -> JSON
    ) async throws(ControlError) -> Answer? {
        switch (request.method, request.path) {
        case ("POST", "/yahoo/rotate"):
            var input = try ControlInput(try order())
            let keepsOld = try input.bool("keep_old") ?? true
            try input.finish()
            return .json(.object(["kid": .string(try await yahoo.rotate(keepingOld: keepsOld))]))
        case ("POST", "/yahoo/sign"):
            return .json(try await yahoo.sign(try SigningOrder(try order())))
        case ("GET", "/yahoo/keys"):
            return .json(try await yahoo.signingKeys())
        default:
            return nil
        }
    }
}
