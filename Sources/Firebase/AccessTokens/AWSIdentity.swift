internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Standards
internal import Transport

/// An identity that AWS gives to a machine, proven to Google by a signed request that Google sends to AWS.
///
/// The request asks AWS for the identity of its sender (`GetCallerIdentity`). This server signs it (Signature Version 4)
/// and never sends it to AWS itself.
///
/// - SeeAlso: <https://google.aip.dev/auth/4117>
package struct AWSIdentity: Sendable, Equatable {
    /// `nil` if only variables of the environment supply the region.
    let regionURL: String?
    /// `nil` if only variables of the environment supply the credentials.
    let credentialsURL: String?
    /// The URL that issues the token which the other two require (IMDSv2); `nil` if they require none.
    let sessionTokenURL: String?
    /// With `{region}` in place of the region.
    let verificationURL: String
    /// The pool provider for which the request is made, so that another one cannot use it.
    let audience: String

    init(_ members: CredentialMembers, audience: String) throws(GoogleCredentialsError) {
        guard try members.text("environment_id") == "aws1" else { throw .unsupported(members.name("environment_id")) }
        func url(_ name: String) throws(GoogleCredentialsError) -> String? {
            members[name] == nil ? nil : try members.metadataURL(name)
        }
        regionURL = try url("region_url")
        credentialsURL = try url("url")
        sessionTokenURL = try url("imdsv2_session_token_url")
        verificationURL = try members.securityTokenURL("regional_cred_verification_url")
        self.audience = audience
    }

    /// Returns the signed request as a subject token: JSON, percent-encoded.
    func token(_ machine: SubjectTokenSource.Machine) async throws(SubjectTokenError) -> String {
        let session = try await sessionHeader(machine)
        let region = try await region(machine, header: session)
        let credentials = try await credentials(machine, header: session)
        let request = AWSRequest(
            url: verificationURL.replacing("{region}", with: region), region: region,
            header: ["x-goog-cloud-target-resource": audience])
        guard let header = request.signed(with: credentials, at: machine.time.now()) else {
            throw .malformed("regional_cred_verification_url cannot be signed")
        }
        let fields = header.map { name, value in JSON.object(["key": .string(name), "value": .string(value)]) }
        let content = JSON.object([
            "url": .string(request.url), "method": .string("POST"), "headers": .array(fields),
        ])
        return PercentEncoding.encode(String(decoding: content.serialized(), as: UTF8.self))
    }

    private func sessionHeader(
        _ machine: SubjectTokenSource.Machine
    ) async throws(SubjectTokenError) -> [HeaderField] {
        let isComplete = Self.credentials(in: machine) != nil && Self.region(in: machine) != nil
        guard let sessionTokenURL, !isComplete else { return [] }
        let body = try await machine.content(
            .put, sessionTokenURL, header: [HeaderField("X-aws-ec2-metadata-token-ttl-seconds", "300")])
        return [HeaderField("X-aws-ec2-metadata-token", try Self.word(body))]
    }

    private func region(
        _ machine: SubjectTokenSource.Machine, header: [HeaderField]
    ) async throws(SubjectTokenError) -> String {
        let region: String
        if let variable = Self.region(in: machine) {
            region = variable
        } else {
            guard let regionURL else { throw .malformed("AWS_REGION is not set, and region_url is missing") }
            // The server returns an availability zone, such as `us-east-2b`.
            region = String(try Self.word(try await machine.content(.get, regionURL, header: header)).dropLast())
        }
        // It becomes a label of the host to which the request is addressed, and must not name another host.
        let isLabel = !region.isEmpty && region.utf8.allSatisfy { Self.labelBytes.contains($0) }
        guard isLabel else { throw .malformed("the region of AWS is no name such as us-east-2") }
        return region
    }

    private static let labelBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)

    private func credentials(
        _ machine: SubjectTokenSource.Machine, header: [HeaderField]
    ) async throws(SubjectTokenError) -> AWSCredentials {
        if let credentials = Self.credentials(in: machine) { return credentials }
        guard let credentialsURL else {
            throw .malformed("AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set, and url is missing")
        }
        let role = try Self.word(try await machine.content(.get, credentialsURL, header: header))
        let url = credentialsURL + "/" + PercentEncoding.encode(role)
        let body = try await machine.content(.get, url, header: header)
        guard let content = try? JSON.parse(body), let id = content["AccessKeyId"]?.string,
            let key = content["SecretAccessKey"]?.string
        else { throw .malformed("the answer of \(OutboundRequest(.get, url).address) has no credentials of AWS") }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: Secret(key), sessionToken: content["Token"]?.string.map { Secret($0) })
    }

    private static func region(in machine: SubjectTokenSource.Machine) -> String? {
        machine.inputs.variable("AWS_REGION") ?? machine.inputs.variable("AWS_DEFAULT_REGION")
    }

    private static func credentials(in machine: SubjectTokenSource.Machine) -> AWSCredentials? {
        guard let id = machine.inputs.variable("AWS_ACCESS_KEY_ID"),
            let key = machine.inputs.variable("AWS_SECRET_ACCESS_KEY")
        else { return nil }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: Secret(key),
            sessionToken: machine.inputs.variable("AWS_SESSION_TOKEN").map { Secret($0) })
    }

    /// A text without white space, which can be the value of a header field.
    private static func word(_ body: [UInt8]) throws(SubjectTokenError) -> String {
        guard !body.isEmpty, body.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("an answer of the metadata server of AWS is not one word")
        }
        return String(decoding: body, as: UTF8.self)
    }
}

/// Credentials of AWS, which usually expire within hours.
struct AWSCredentials: Sendable {
    let accessKeyID: String
    let secretAccessKey: Secret
    let sessionToken: Secret?
}

/// A POST without a body to a service of AWS, to be signed with Signature Version 4.
///
/// - SeeAlso: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>
struct AWSRequest {
    let url: String
    let region: String
    /// The fields besides `host`, `x-amz-date` and `x-amz-security-token`, with names in lower case.
    let header: [String: String]

    /// Returns the header fields of the signed request, sorted by name; `nil` if the URL cannot be signed.
    func signed(with credentials: AWSCredentials, at now: NumericDate) -> [(name: String, value: String)]? {
        guard url.hasPrefix("https://") else { return nil }
        let rest = url.dropFirst("https://".count)
        let host = String(rest.prefix { $0 != "/" && $0 != "?" })
        guard let query = canonicalQuery(rest), let service = host.split(separator: ".").first else { return nil }
        let path = rest.dropFirst(host.count).prefix { $0 != "?" }
        let date = Self.basicFormat(now)
        var fields = header
        fields["host"] = host
        fields["x-amz-date"] = date
        fields["x-amz-security-token"] = credentials.sessionToken?.secretText
        let sorted = fields.sorted { $0.key < $1.key }
        let names = sorted.map(\.key).joined(separator: ";")
        let canonical = [
            "POST", path.isEmpty ? "/" : String(path), query,
            sorted.map { "\($0.key):\($0.value)\n" }.joined(), names, SHA256.hash([]).hexadecimal,
        ].joined(separator: "\n")
        let scope = [String(date.prefix(8)), region, Self.name(of: service), "aws4_request"]
        let text = [
            "AWS4-HMAC-SHA256", date, scope.joined(separator: "/"),
            SHA256.hash(Array(canonical.utf8)).hexadecimal,
        ].joined(separator: "\n")
        let key = scope.reduce(Array("AWS4\(credentials.secretAccessKey.secretText)".utf8)) { key, part in
            HMACSHA256.authenticationCode(for: Array(part.utf8), key: key)
        }
        let signature = HMACSHA256.authenticationCode(for: Array(text.utf8), key: key).hexadecimal
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope.joined(separator: "/")), "
            + "SignedHeaders=\(names), Signature=\(signature)"
        return [("authorization", authorization)] + sorted.map { ($0.key, $0.value) }
    }

    private func canonicalQuery(_ rest: Substring) -> String? {
        guard let start = rest.firstIndex(of: "?") else { return "" }
        var pairs: [(String, String)] = []
        for pair in rest[start...].dropFirst().split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0], plusIsSpace: false),
                let value = PercentEncoding.decode(halves.count > 1 ? halves[1] : "", plusIsSpace: false)
            else { return nil }
            pairs.append((PercentEncoding.encode(name), PercentEncoding.encode(value)))
        }
        return pairs.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// The service in the credential scope: `sts` for the host `sts-fips.us-east-2.amazonaws.com` too.
    private static func name(of label: Substring) -> String {
        label.hasSuffix("-fips") ? String(label.dropLast("-fips".count)) : String(label)
    }

    /// A time in the basic format of ISO 8601, such as `20261124T150000Z`.
    private static func basicFormat(_ time: NumericDate) -> String {
        Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601).filter { !"-:".contains($0) }
    }
}
