internal import Jansson
package import Standards

/// The credentials file of a machine without a service account key, as `gcloud` writes it.
///
/// Two types are supported: `external_account` (workload identity federation), and `impersonated_service_account` on
/// top of it or of a developer's own sign-in.
///
/// - SeeAlso: <https://google.aip.dev/auth/4117>
package struct GoogleCredentials: Sendable {
    /// What Google receives first.
    package enum Source: Sendable {
        case externalAccount(ExternalAccount)
        /// The refresh token of a person, from `gcloud auth application-default login`.
        case authorizedUser(clientID: String, clientSecret: Secret, refreshToken: Secret)
    }

    package let source: Source
    package let impersonation: Impersonation?

    /// The service account whose access tokens are requested; `nil` if the calls are made as the federated identity.
    package var email: String? { impersonation?.email }
}

extension GoogleCredentials {
    /// A service account that the source may act as, by the permission `iam.serviceAccounts.getAccessToken`.
    package struct Impersonation: Sendable, Equatable {
        /// The whole URL of `generateAccessToken`.
        let url: String
        let email: String
        /// The service accounts between the source and this one.
        let delegates: [String]
    }

    /// An identity that another issuer than Google vouches for.
    package struct ExternalAccount: Sendable, Equatable {
        /// The resource name of the workload identity pool provider.
        let audience: String
        let subjectTokenType: String
        /// The whole URL of the Security Token Service.
        let tokenURL: String
        let subjectToken: SubjectTokenSource
    }
}

// MARK: - The file

extension GoogleCredentials {
    /// Reads the file.
    ///
    /// - Parameter file: The JSON file.
    /// - Throws: ``GoogleCredentialsError``, with the name of the wrong member and without its value.
    package static func parse(_ file: [UInt8]) throws(GoogleCredentialsError) -> Self {
        guard let content = try? JSON.parse(file), content.object != nil else { throw .notJSON }
        let members = CredentialMembers(content, path: "")
        switch try members.text("type") {
        case "external_account":
            return Self(
                source: .externalAccount(try ExternalAccount(members)),
                impersonation: content["service_account_impersonation_url"] == nil
                    ? nil : try Impersonation(members, delegates: []))
        case "impersonated_service_account":
            return Self(
                source: try source(try members.section("source_credentials")),
                impersonation: try Impersonation(members, delegates: try delegates(content)))
        case "service_account": throw .serviceAccountKey
        default: throw .unsupported("type")
        }
    }

    /// The delegates in the order of the file, which may also have `null`.
    private static func delegates(_ content: JSON) throws(GoogleCredentialsError) -> [String] {
        guard let value = content["delegates"], value != .null else { return [] }
        guard let list = value.array, case let texts = list.compactMap(\.string), texts.count == list.count else {
            throw .invalid("delegates")
        }
        return texts
    }

    private static func source(_ members: CredentialMembers) throws(GoogleCredentialsError) -> Source {
        switch try members.text("type") {
        case "external_account":
            return .externalAccount(try ExternalAccount(members))
        case "authorized_user":
            return .authorizedUser(
                clientID: try members.text("client_id"), clientSecret: Secret(try members.text("client_secret")),
                refreshToken: Secret(try members.text("refresh_token")))
        case "service_account": throw .serviceAccountKey
        default: throw .unsupported(members.name("type"))
        }
    }
}

extension GoogleCredentials.Impersonation {
    fileprivate init(_ members: CredentialMembers, delegates: [String]) throws(GoogleCredentialsError) {
        let name = "service_account_impersonation_url"
        url = try members.googleURL(name)
        let (prefix, suffix) = ("/v1/projects/-/serviceAccounts/", ":generateAccessToken")
        guard url.hasSuffix(suffix), let start = url.firstRange(of: prefix)?.upperBound,
            case let email = String(url[start...].dropLast(suffix.count)), ServiceAccountEmail.isAddress(email)
        else { throw .invalid(members.name(name)) }
        self.email = email
        self.delegates = delegates
    }
}

extension GoogleCredentials.ExternalAccount {
    fileprivate init(_ members: CredentialMembers) throws(GoogleCredentialsError) {
        // A pool of people, and an issuer outside Google's public cloud, need parameters that this type does not send.
        if members["workforce_pool_user_project"] != nil { throw .unsupported("workforce_pool_user_project") }
        if let universe = members["universe_domain"], universe != .string("googleapis.com") {
            throw .unsupported("universe_domain")
        }
        audience = try members.text("audience")
        guard !audience.contains("/workloadIdentityPools/") || audience.contains("/providers/")
        else { throw .poolWithoutProvider }
        subjectTokenType = try members.text("subject_token_type")
        tokenURL = try members.googleURL("token_url")
        subjectToken = try SubjectTokenSource(try members.section("credential_source"), audience: audience)
    }
}

/// The members of one object of the file, read with errors that name them.
struct CredentialMembers {
    private let content: JSON
    private let path: String

    init(_ content: JSON, path: String) {
        self.content = content
        self.path = path
    }

    subscript(name: String) -> JSON? { content[name] }

    /// The name of a member as an error shows it, such as `credential_source.url`.
    func name(_ member: String) -> String { path + member }

    func section(_ member: String) throws(GoogleCredentialsError) -> Self {
        guard let value = content[member], value.object != nil else { throw .missing(name(member)) }
        return Self(value, path: name(member) + ".")
    }

    func text(_ member: String) throws(GoogleCredentialsError) -> String {
        guard let value = content[member]?.string, !value.isEmpty else { throw .missing(name(member)) }
        return value
    }

    /// Reads a URL of Google, to which credentials of this machine are sent.
    ///
    /// Google asks applications to check it, because who can change the file could have them sent elsewhere.
    func googleURL(_ member: String) throws(GoogleCredentialsError) -> String {
        let text = try text(member)
        guard let host = Self.host(of: text, scheme: "https://"), host.hasSuffix(".googleapis.com") else {
            guard Self.isLoopback(text) else { throw .invalid(name(member)) }
            return text
        }
        return text
    }

    /// Reads the URL of a service that issues tokens for this machine: `https`, or `http` to a metadata server or to the
    /// machine itself.
    func localURL(_ member: String) throws(GoogleCredentialsError) -> String {
        let text = try text(member)
        guard Self.host(of: text, scheme: "https://") == nil else { return text }
        return try metadataURL(member)
    }

    /// Reads the URL of the metadata server of this machine, or of a service on it.
    func metadataURL(_ member: String) throws(GoogleCredentialsError) -> String {
        let text = try text(member)
        let servers = ["169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal"]
        guard Self.isLoopback(text) || Self.host(of: text, scheme: "http://").map(servers.contains) == true else {
            throw .invalid(name(member))
        }
        return text
    }

    /// Reads the URL of the Security Token Service of AWS, which may contain `{region}`.
    ///
    /// The signed request proves the identity of this machine to its host. Google's libraries accept the same hosts.
    func securityTokenURL(_ member: String) throws(GoogleCredentialsError) -> String {
        let text = try text(member)
        guard let host = Self.host(of: text.replacing("{region}", with: "region"), scheme: "https://"),
            host.hasPrefix("sts.") || host.hasPrefix("sts-fips."),
            host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn")
        else { throw .invalid(name(member)) }
        return text
    }

    private static func isLoopback(_ url: String) -> Bool {
        guard let host = host(of: url, scheme: "http://") else { return false }
        let isAddress = host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
        return host == "localhost" || host == "[::1]" || isAddress
    }

    /// The host of a URL without user information, in lower case; `nil` for another scheme.
    private static func host(of url: String, scheme: String) -> String? {
        guard url.hasPrefix(scheme), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { return nil }
        let port = authority.lastIndex(of: ":").map { authority[$0...].dropFirst() }
        let hasPort = port.map { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? false
        let host = hasPort ? authority.dropLast((port?.count ?? 0) + 1) : authority
        return host.isEmpty ? nil : host.lowercased()
    }
}

/// The reason why a file does not contain usable credentials.
package enum GoogleCredentialsError: Error, Equatable, Sendable {
    case notJSON
    /// It contains the key of a service account, which another setting names.
    case serviceAccountKey
    /// A member is absent, empty or of another type.
    case missing(String)
    /// A member has a value that is not allowed, such as a URL that is not Google's.
    case invalid(String)
    /// A member selects something that is not supported here.
    case unsupported(String)
    /// The audience is a workload identity pool, and Google demands one of its providers.
    case poolWithoutProvider
}
