internal import JOSE
internal import Jansson
package import Transport

/// The place from which a machine gets the token that another issuer made for it.
package enum SubjectTokenSource: Sendable, Equatable {
    case file(path: String, Format)
    case url(String, header: [HeaderField], Format)
    case aws(AWSIdentity)

    /// The form of the file, or of the response.
    package enum Format: Sendable, Equatable {
        /// The token and nothing else. White space around it is ignored.
        case text
        case json(member: String)
    }

    /// Reads `credential_source`.
    init(_ members: CredentialMembers, audience: String) throws(GoogleCredentialsError) {
        if members["environment_id"] != nil {
            self = .aws(try AWSIdentity(members, audience: audience))
        } else if members["file"] != nil {
            self = .file(path: try members.text("file"), try Format(members))
        } else if members["url"] != nil {
            var header: [HeaderField] = []
            for (name, value) in members["headers"]?.object ?? [:] {
                guard let text = value.string else { throw .invalid(members.name("headers")) }
                header.append(HeaderField(name, text))
            }
            header.sort { $0.name < $1.name }
            self = .url(try members.localURL("url"), header: header, try Format(members))
        } else {
            // `executable` and `certificate` are the other sources that Google defines.
            throw .unsupported("credential_source")
        }
    }
}

extension SubjectTokenSource.Format {
    fileprivate init(_ members: CredentialMembers) throws(GoogleCredentialsError) {
        guard members["format"] != nil else {
            self = .text
            return
        }
        let format = try members.section("format")
        switch try format.text("type") {
        case "text": self = .text
        case "json": self = .json(member: try format.text("subject_token_field_name"))
        default: throw .unsupported(format.name("type"))
        }
    }

    /// Returns the token in a file or a response, which `source` names.
    fileprivate func token(in octets: [UInt8], of source: String) throws(SubjectTokenError) -> String {
        // Some programs of Windows begin a file so.
        let content = octets.withoutByteOrderMark
        let (text, place) =
            switch self {
            case .text: (String(validating: content, as: UTF8.self).map { $0.trimmingBlanks() }, "")
            case .json(let member):
                ((try? JSON.parse(content))?[member]?.string, " as text in the member \(member) of JSON")
            }
        guard let text, !text.isEmpty else { throw .malformed("\(source) has no token\(place)") }
        return text
    }
}

extension String {
    fileprivate func trimmingBlanks() -> String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// What sources of tokens read on this machine.
package struct CredentialInputs: Sendable {
    /// Reads a file; `nil` if it cannot be read.
    package let file: @Sendable (_ path: String) -> [UInt8]?
    /// A variable of the environment; `nil` if it is not set or empty.
    package let variable: @Sendable (_ name: String) -> String?

    package init(
        file: @escaping @Sendable (_ path: String) -> [UInt8]?,
        variable: @escaping @Sendable (_ name: String) -> String?
    ) {
        self.file = file
        self.variable = variable
    }
}

extension SubjectTokenSource {
    /// Gets a token.
    ///
    /// Files are read each time, because they are replaced before the token in them expires.
    func token(_ machine: Machine) async throws(SubjectTokenError) -> String {
        switch self {
        case .file(let path, let format):
            guard let content = machine.inputs.file(path) else { throw .unreadableFile(path) }
            return try format.token(in: content, of: "the file \(path)")
        case .url(let url, let header, let format):
            let content = try await machine.content(.get, url, header: header)
            return try format.token(in: content, of: "the answer of \(OutboundRequest(.get, url).address)")
        case .aws(let identity):
            return try await identity.token(machine)
        }
    }

    /// The machine on which the server runs, as a source of tokens sees it.
    struct Machine: Sendable {
        let inputs: CredentialInputs
        let transport: HTTPTransport
        let time: TimeSource
        let retries: RetryPolicy

        /// The body of a response with the status 200.
        func content(
            _ method: OutboundRequest.Method, _ url: String, header: [HeaderField]
        ) async throws(SubjectTokenError) -> [UInt8] {
            var request = OutboundRequest(
                method, url, header: header, timeout: .seconds(5), maximumBodyBytes: 64 * 1024)
            request.reachesMetadataServer = true
            let response: OutboundResponse
            do {
                response = try await retries.send(request, over: transport, time: time)
            } catch {
                throw .unreachable(error)
            }
            guard response.status == 200 else { throw .refused(status: response.status, at: request.address) }
            return response.body
        }
    }
}

/// The reason why there is no subject token.
package enum SubjectTokenError: Error, Equatable, Sendable {
    case unreadableFile(String)
    case unreachable(TransportError)
    /// The service of the machine responded with another status than 200, at a URL without its query.
    case refused(status: Int, at: String)
    /// A file, a response or the environment contains no token, or no credentials of AWS; which one, in words.
    case malformed(String)
}
