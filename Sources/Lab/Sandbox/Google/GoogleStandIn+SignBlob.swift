import FoundationEssentials
import Jansson
import OpenSSL

extension GoogleStandIn {
    /// `iamcredentials.googleapis.com`: signs with a key that Google manages for the account.
    ///
    /// Any account of a project may sign for every other one of it; at Google that is a role of its own.
    func signBlob(_ request: IncomingRequest, _ path: GooglePath) throws(Refusal) -> Answer {
        let caller = try authorize(request, path, scopes: [GoogleScope.cloudPlatform])
        guard let account = serviceAccounts[exactly: path.email] else {
            throw GoogleError.api(404, "NOT_FOUND", "Requested entity was not found.")
        }
        guard let caller, caller.projectID == account.projectID else {
            throw GoogleError.permissionDenied(
                "Permission 'iam.serviceAccounts.signBlob' denied on resource (or it may not exist).")
        }
        let text = try read(request) { input throws(ControlError) in
            _ = try input.optionalStrings("delegates")
            return try input.requiredString("payload")
        }
        // ProtoJSON's bytes are base64 in either alphabet; what Google's libraries send is the standard one.
        guard let payload = Data(base64Encoded: text), !payload.isEmpty else {
            throw GoogleError.invalidArgument("Invalid value at 'payload': Base64 decoding failed")
        }
        var ring = managedKeys[account.email] ?? GoogleKeyRing(owner: account.email)
        let key = try ring.current(now: clock.now)
        managedKeys[account.email] = ring
        guard let signature = try? key.privateKey.signature(for: Array(payload)) else { throw GoogleError.noKey }
        return .json(.object(["keyId": .string(key.id), "signedBlob": .string(Base64.encode(signature))]))
    }
}
