internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import NIOCore
internal import Standards

/// Reads the body of a request to `/v1/*`: one JSON object, without duplicate members.
enum JSONBody {
    /// More values than any valid request has.
    private static let maximumValues = 512
    /// More than the longest member that ``ExchangeMessages`` accepts, so that its error names the member.
    private static let maximumStringBytes = 33 * 1024

    /// - Throws: ``Refusal`` for another media type, a query, a body over the limit, or a body that is not one
    ///   JSON object without duplicate members.
    static func read(_ incoming: IncomingRequest, limits: ServerLimits) async throws(Refusal) -> JSON {
        let request = incoming.request
        let isCompressed = request.headers[.contentEncoding] != nil
        guard isJSON(request.headers[.contentType]), !isCompressed else {
            throw .unsupportedMediaType(
                request.headers[.contentType], isCompressed: isCompressed, expected: "application/json")
        }
        // RFC 9700 §4.3.2: proxies and servers log query strings, so that secrets must not be in them.
        guard request.uri.query == nil else { throw .malformedBody("the URL has a query") }
        let bytes = try await RequestBody.collect(incoming, upTo: limits.bodyBytes)
        guard !bytes.isEmpty else { throw .malformedBody("the body is empty") }
        guard !bytes.contains(0), !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw .malformedBody(
                "the body is in UTF-16, or begins with a byte order mark, and must be in UTF-8 without one")
        }
        let body: JSON
        do throws(JSONError) {
            body = try JSON.parse(
                bytes, maximumBytes: limits.bodyBytes, maximumDepth: 8, maximumValues: Self.maximumValues,
                maximumStringBytes: Self.maximumStringBytes)
        } catch .duplicateMember(let line, let column) {
            throw .duplicateField("a name occurs twice in one object of the body (line \(line), column \(column))")
        } catch .malformed(let line, let column) {
            throw .malformedBody("the body is not the text of a JSON object (line \(line), column \(column))")
        } catch .incomplete(let line, let column) {
            throw .malformedBody("the body is cut off (line \(line), column \(column))")
        } catch .invalidUTF8(let line, let column) {
            throw .malformedBody("the body is not UTF-8 (line \(line), column \(column))")
        } catch .stringTooLong(let maximum) {
            throw Refusal(.malformedBody, "A text of the body has more than \(maximum) octets. Send a shorter one.")
        } catch {
            throw .malformedBody(
                "the body has a character or a number that this server does not read, or exceeds a limit of this server"
            )
        }
        guard body.object != nil else { throw .malformedBody("the body is a JSON list, and must be an object") }
        return body
    }

    /// Whether the media type is `application/json`, without a charset or with `charset=utf-8` (RFC 8259 §8.1).
    private static func isJSON(_ field: String?) -> Bool {
        if field == "application/json" { return true }
        let form = (field ?? "").lowercased().filter { $0 != " " && $0 != "\t" }
        return form == "application/json" || form == "application/json;charset=utf-8"
            || form == "application/json;charset=\"utf-8\""
    }
}

/// The members of a JSON object, of which all must be known.
///
/// One that is `null` is absent: serializers of C#, Kotlin and Go write it for every optional value that is not set.
struct Members {
    private let members: [String: JSON]

    /// - Throws: ``Refusal/unknownField(known:among:)`` for a member that is not in `known`.
    init(_ object: JSON, known: [String]) throws(Refusal) {
        let all = object.object ?? [:]
        guard all.keys.allSatisfy(known.contains) else {
            throw .unknownField(known: known, among: Array(all.keys))
        }
        members = all.filter { $0.value != .null }
    }

    /// Returns a text of 1 to `maximumBytes` octets without control characters.
    func text(_ name: String, upTo maximumBytes: Int = 2048) throws(Refusal) -> String {
        guard let text = try optionalText(name, upTo: maximumBytes) else { throw .missingField(name) }
        return text
    }

    func optionalText(_ name: String, upTo maximumBytes: Int = 2048) throws(Refusal) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw .malformedField(name, "is not a text") }
        guard (1...maximumBytes).contains(text.utf8.count) else {
            throw .malformedField(name, "has \(text.utf8.count) octets, and must have 1 to \(maximumBytes)")
        }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw .malformedField(name, "contains a control character, such as a line break")
        }
        return text
    }

    func object(_ name: String) throws(Refusal) -> JSON {
        guard let value = members[name] else { throw .missingField(name) }
        guard value.object != nil else { throw .malformedField(name, "is not an object") }
        return value
    }

    /// Returns an empty collection if the member is absent.
    func texts(_ name: String) throws(Refusal) -> [String] {
        guard let value = members[name] else { return [] }
        guard let elements = value.array, elements.count <= 50 else {
            throw .malformedField(name, "is not a list of at most 50 elements")
        }
        return try elements.map { element throws(Refusal) in
            guard let text = element.string, isParameter(text), !text.contains(" ") else {
                throw .malformedField(name, "has an element that is not a text of 1 to 1024 octets without blanks")
            }
            return text
        }
    }

    /// Returns an empty collection if the member is absent.
    func textsByName(_ name: String) throws(Refusal) -> [String: String] {
        guard let value = members[name] else { return [:] }
        guard let object = value.object, object.count <= 50 else {
            throw .malformedField(name, "is not an object of at most 50 members")
        }
        var texts: [String: String] = [:]
        for (key, element) in object {
            guard let text = element.string, isParameter(text) else {
                throw .malformedField(name, "has a member that is not a text of 1 to 1024 octets")
            }
            texts[key] = text
        }
        return texts
    }

    private func isParameter(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

/// Reads a form body: `application/x-www-form-urlencoded` (RFC 6749 appendix B).
enum FormBody {
    /// - Throws: ``Refusal`` for another media type, a query, a body over the limit, invalid encoding or a
    ///   repeated parameter (RFC 6749 §3.1, §3.2).
    static func read(
        _ incoming: IncomingRequest, limits: ServerLimits, repeatable: Set<String> = []
    ) async throws(Refusal) -> Standards.Parameters {
        let text = try await text(incoming, limits)
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .malformedForm("the form has a line break or another control character that is not percent-encoded")
        }
        guard text.isEmpty || text.contains("=") else {
            throw .malformedForm(
                "the form has no =, and so no parameter: if it is JSON, send a form; if it is percent-encoded as a whole, encode only "
                    + "each name and each value")
        }
        return try parse(text, repeatable: repeatable)
    }

    /// Reads the form of a provider, as ``read(_:limits:repeatable:)`` does, but ignores what is not read of it.
    static func readCallback(
        _ incoming: IncomingRequest, limits: ServerLimits
    ) async throws(Refusal) -> Standards.Parameters {
        try parseCallback(try await text(incoming, limits))
    }

    private static func text(_ incoming: IncomingRequest, _ limits: ServerLimits) async throws(Refusal) -> String {
        let (field, isCompressed) = (
            incoming.request.headers[.contentType], incoming.request.headers[.contentEncoding] != nil
        )
        guard isForm(field), !isCompressed else {
            throw .unsupportedMediaType(
                field, isCompressed: isCompressed, expected: "application/x-www-form-urlencoded")
        }
        // RFC 6749 §3.2: parameters must be in the body, because URLs are logged.
        guard incoming.query == nil else { throw .malformedForm("the URL of the form has a query") }
        let bytes = try await RequestBody.collect(incoming, upTo: limits.bodyBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformedForm("the form is not UTF-8") }
        return text
    }

    /// Parses the parameters of a form or of a query, and drops those without a value (RFC 6749 §3.1, §3.2).
    static func parse(
        _ text: some StringProtocol, repeatable: Set<String> = []
    ) throws(Refusal) -> Standards.Parameters {
        try withoutEmpty(
            repeating: Standards.Parameters.repeatedName(in: text) { !repeatable.contains($0) },
            malformation: Standards.Parameters.malformation(of: text, known: knownNames)
        ) { () throws(ParametersError) in
            try Standards.Parameters.parse(text, repeatable: repeatable)
        }
    }

    /// Parses the response of a provider, as ``parse(_:repeatable:)`` does, but ignores what is not read of it.
    static func parseCallback(_ text: some StringProtocol) throws(Refusal) -> Standards.Parameters {
        try withoutEmpty(
            // One that is not read may occur twice.
            repeating: Standards.Parameters.repeatedName(in: text, where: CallbackURL.readParameters.contains),
            malformation: Standards.Parameters.malformation(
                of: text, known: CallbackURL.readParameters, maximum: 1000, skipsOthers: true)
        ) { () throws(ParametersError) in try CallbackURL.parse(text) }
    }

    /// The names of parameters that a finding may have if one of them is malformed.
    private static let knownNames: Set<String> = [
        "acr_values", "audience", "client_assertion", "client_assertion_type", "client_id", "client_secret", "code",
        "code_challenge", "code_challenge_method", "code_verifier", "device_code", "flow", "grant_type", "intent",
        "login_hint", "max_age", "nonce", "prompt", "provider", "redirect_uri", "refresh_token", "request",
        "request_uri", "resource", "response_mode", "response_type", "scope", "state", "subject_token",
        "subject_token_type", "token", "token_type_hint", "ui_locales", "user_code",
    ]

    /// - Parameters:
    ///   - name: The name that occurs twice, if there is one and it is known.
    ///   - malformation: Why the parameters are malformed.
    private static func withoutEmpty(
        repeating name: @autoclosure () -> String?, malformation: @autoclosure () -> String,
        _ parse: () throws(ParametersError) -> Standards.Parameters
    ) throws(Refusal) -> Standards.Parameters {
        do {
            return Standards.Parameters(try parse().pairs.filter { !$0.value.isEmpty })
        } catch {
            switch error {
            case .repeated:
                // A finding has no text of a client; names of OAuth have this form.
                let known = name().flatMap { $0.wholeMatch(of: /[a-z_]{1,40}/) == nil ? nil : $0 }
                throw .duplicateField(known.map { "the parameter \($0) occurs twice" })
            case .malformed: throw .malformedForm(malformation())
            }
        }
    }

    private static func isForm(_ field: String?) -> Bool {
        let form = (field ?? "").lowercased().filter { $0 != " " && $0 != "\t" }
        return form == "application/x-www-form-urlencoded"
            || form == "application/x-www-form-urlencoded;charset=utf-8"
            || form == "application/x-www-form-urlencoded;charset=\"utf-8\""
    }
}

extension RequestBody {
    /// Returns the whole body; while it is received, the request does not count as in flight.
    ///
    /// ``ConnectionDeadlines`` closes the connection of a body that takes too long.
    static func collect(_ incoming: IncomingRequest, upTo limit: Int) async throws(Refusal) -> [UInt8] {
        // A body that is announced as too large is refused before it is received.
        if let announced = incoming.request.headers[.contentLength].flatMap({ Int($0) }), announced > limit {
            throw .bodyTooLarge
        }
        return try await incoming.concurrencyLimit.whileReceiving { () async throws(Refusal) in
            try await collect(incoming.request.body, upTo: limit)
        }
    }

    private static func collect(_ body: RequestBody, upTo limit: Int) async throws(Refusal) -> [UInt8] {
        do {
            return Array(try await body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw .bodyTooLarge
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw .bodyTooLarge
        } catch {
            // The connection closed within the body, so that the client does not receive this response.
            throw .malformedBody("the connection ended within the body, which may take 15 seconds")
        }
    }
}
