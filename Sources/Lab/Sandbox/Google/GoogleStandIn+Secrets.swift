import Foundation
import Jansson

/// A secret of Secret Manager.
struct GoogleSecret: Sendable {
    struct Version: Sendable {
        let payload: [UInt8]
        var isEnabled = true
    }

    /// The versions from number 1 on.
    var versions: [Version] = []
    /// Whether the service accounts of the project have the role to read it.
    var isReadable = true
}

extension GoogleStandIn {
    /// `versions:access` of Secret Manager, for accounts of the project with the scope `cloud-platform`.
    func accessSecret(_ request: IncomingRequest, _ path: GooglePath) throws(Refusal) -> Answer {
        try authorize(request, path, scopes: [GoogleScope.cloudPlatform])
        let (name, version) = path.secret
        let resource = "projects/\(projectNumber)/secrets/\(name)"
        guard path.projectID == projectID, let secret = secrets[exactly: name] else {
            throw GoogleError.api(404, "NOT_FOUND", "Secret [\(resource)] not found or has no versions.")
        }
        guard secret.isReadable else {
            throw GoogleError.permissionDenied(
                "Permission 'secretmanager.versions.access' denied for resource '\(resource)/versions/\(version)' (or it "
                    + "may not exist).")
        }
        guard let number = version == "latest" ? secret.versions.count : Int(version),
            secret.versions.indices.contains(number - 1)
        else { throw GoogleError.api(404, "NOT_FOUND", "Secret Version [\(resource)/versions/\(version)] not found.") }
        let found = secret.versions[number - 1]
        guard found.isEnabled else {
            throw GoogleError.api(
                400, "FAILED_PRECONDITION", "Secret Version [\(resource)/versions/\(number)] is in DISABLED state.")
        }
        return .json(
            .object([
                "name": .string("\(resource)/versions/\(number)"),
                "payload": .object([
                    "data": .string(Data(found.payload).base64EncodedString()),
                    "dataCrc32c": .string(String(Self.checksum(of: found.payload))),
                ]),
            ]))
    }

    /// CRC-32C, computed from the last bit to the first as its polynomial is printed (RFC 9260 Appendix A).
    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= reversed(UInt32(byte))
            for _ in 0..<8 { sum = sum >> 31 == 1 ? sum << 1 ^ 0x1EDC_6F41 : sum << 1 }
        }
        return reversed(sum ^ UInt32.max)
    }

    private static func reversed(_ bits: UInt32) -> UInt32 {
        (0..<32).reduce(0) { $0 | (bits >> UInt32($1) & 1) << UInt32(31 - $1) }
    }

    /// Adds a version to a secret, which is made if it is missing, or changes what may be read.
    ///
    /// - Returns: The number of the newest version.
    func change(_ command: GoogleSecretCommand) throws(ControlError) -> JSON {
        var secret = secrets[exactly: command.name] ?? GoogleSecret()
        if let value = command.value { secret.versions.append(.init(payload: Array(value.utf8))) }
        secret.isReadable = command.isReadable ?? secret.isReadable
        if let isEnabled = command.isEnabled {
            guard let last = secret.versions.indices.last else { throw .refused("The secret has no version.") }
            secret.versions[last].isEnabled = isEnabled
        }
        secrets[command.name] = secret
        return .object(["name": .string(command.name), "version": .integer(Int64(secret.versions.count))])
    }

    /// Returns `false` if there is none.
    func forget(secret name: String) -> Bool { secrets.removeValue(forKey: name) != nil }
}

/// `{"name", "value"?, "readable"?, "enabled"?}`: a new version; whether accounts may read the secret; and whether its newest
/// version is enabled.
struct GoogleSecretCommand: Sendable {
    let name: String
    let value: String?
    let isReadable: Bool?
    let isEnabled: Bool?

    init(_ command: JSON) throws(ControlError) {
        var input = try ControlInput(command)
        name = try input.requiredString("name")
        value = try input.string("value")
        isReadable = try input.bool("readable")
        isEnabled = try input.bool("enabled")
        try input.finish()
    }
}
