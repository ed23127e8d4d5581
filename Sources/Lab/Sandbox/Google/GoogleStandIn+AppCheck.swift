import JOSE
import Jansson

extension GoogleStandIn {
    /// Creates an App Check token that is valid for one hour, changed by the command's defect.
    func issue(_ command: AppCheckTokenCommand) throws(Refusal) -> JSON {
        let issued = clock.now - command.issuedSecondsAgo
        let audiences = [projectNumber, command.projectID ?? projectID].map { JSON.string("projects/" + $0) }
        let claims: [String: JSON] = [
            "iss": .string("https://firebaseappcheck.googleapis.com/" + projectNumber),
            "sub": .string(command.applicationID), "aud": .array(audiences), "iat": .integer(issued),
            "exp": .integer(issued + 3600), "jti": .string(try RandomText.make(32)), "provider": .string("debug"),
        ]
        let token = try appCheckKeys.token(claims, spoiledBy: command.defect, now: clock.now)
        return .object(["app_check_token": .string(token)])
    }

    /// `:verifyAppCheckToken`: verifies a token and reports whether it was already consumed.
    func consumeAppCheckToken(_ request: IncomingRequest, _ path: GooglePath) throws(Refusal) -> Answer {
        try authorize(request, path, scopes: [GoogleScope.cloudPlatform, GoogleScope.firebase])
        guard path.projectID == projectID else { throw GoogleError.permissionDenied() }
        let text = try read(request) { input throws(ControlError) in try input.requiredString("app_check_token") }
        let now = clock.now
        guard let jws = try? CompactJWS.parse(text), jws.header.algorithm == "RS256",
            appCheckKeys.isValid(signature: jws.signature, for: jws.signingInput, keyID: jws.header.keyID?.text),
            let claims = try? JSON.parse(jws.payload),
            claims["aud"]?.array?.contains(.string("projects/" + projectID)) == true,
            let expiry = claims["exp"]?.integer, expiry > now, let id = claims["jti"]?.string
        else { throw GoogleError.invalidArgument("App Check token is invalid.") }
        if consumed.count > 10_000 { consumed = consumed.filter { $0.value > now } }
        guard consumed.updateValue(expiry, forKey: id) == nil else {
            return .json(.object(["alreadyConsumed": .bool(true)]))
        }
        return .json(.object([:]))
    }
}
