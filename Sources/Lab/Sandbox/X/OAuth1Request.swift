import OpenSSL

/// The OAuth 1.0a parameters of a request, not verified yet.
struct OAuth1Request {
    let consumerKey: String
    let token: String?
    let nonce: String
    let timestamp: Int64
    let signature: String
    /// The parameters of query, form and header, without `realm` and `oauth_signature`.
    let parameters: FormParameters

    /// - Throws: X's code 215 if the header is absent, incomplete or malformed, if a parameter occurs twice, or if the
    ///   method is not HMAC-SHA1.
    init(_ request: IncomingRequest) throws(Refusal) {
        let fields = request.fields("authorization")
        guard fields.count == 1, let header = Self.parse(fields[0]), let query = request.queryParameters else {
            throw Self.badAuthenticationData
        }
        // RFC 5849 §3.4.1.3.1: the body is signed if it is a form.
        let isForm = request.mediaType == "application/x-www-form-urlencoded"
        guard let body = isForm ? request.bodyParameters : FormParameters([]) else { throw Self.badAuthenticationData }
        let all = query + body + header
        // RFC 5849 §3.1 forbids repeated protocol parameters. X refuses every other repeated parameter too.
        guard !all.hasRepeatedName else { throw Self.badAuthenticationData }

        guard let consumerKey = header["oauth_consumer_key"], let nonce = header["oauth_nonce"], !nonce.isEmpty,
            nonce.utf8.allSatisfy({ $0 < 0x80 }), header["oauth_signature_method"] == "HMAC-SHA1",
            let timestamp = header["oauth_timestamp"].flatMap(Int64.init), timestamp > 0,
            let signature = header["oauth_signature"], header["oauth_version"] ?? "1.0" == "1.0"
        else { throw Self.badAuthenticationData }
        self.consumerKey = consumerKey
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        token = header["oauth_token"]
        parameters = all.without(["realm", "oauth_signature"])
    }

    /// Parses `OAuth name="value", …` (§3.5.1); returns `nil` for any other text.
    private static func parse(_ field: String) -> FormParameters? {
        guard field.lowercased().hasPrefix("oauth ") else { return nil }
        var pairs: [(String, String)] = []
        for part in field.dropFirst("oauth ".count).split(separator: ",") {
            let trimmed = part.drop { $0 == " " }
            guard let equals = trimmed.firstIndex(of: "=") else { return nil }
            let quoted = trimmed[trimmed.index(after: equals)...].trimmingSuffix { $0 == " " }
            guard quoted.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\""),
                let name = PercentEncoding.decode(trimmed[..<equals], plusIsSpace: false),
                let value = PercentEncoding.decode(quoted.dropFirst().dropLast(), plusIsSpace: false)
            else { return nil }
            pairs.append((name, value))
        }
        return FormParameters(pairs)
    }

    private static var badAuthenticationData: Refusal {
        XStandIn.error(400, code: 215, "Bad Authentication data.")
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, condition(last) { rest.removeLast() }
        return rest
    }
}

/// HMAC-SHA1 signatures of OAuth 1.0a (RFC 5849 §3.4).
package enum OAuth1Signature {
    /// The signature base string (§3.4.1.1).
    ///
    /// `baseURL` is scheme, host, port and path by §3.4.1.2, without a query. `parameters` are the decoded parameters
    /// of query, form and header, without `realm` and `oauth_signature`.
    package static func baseString(
        method: String, baseURL: String, parameters: [(name: String, value: String)]
    ) -> String {
        // §3.4.1.3.2: sorted by name, then by value, once both are encoded; encoded text is ASCII.
        let normalized = parameters.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { $0 < $1 }
            .map { $0 + "=" + $1 }
            .joined(separator: "&")
        return [method.uppercased(), baseURL, normalized].map(PercentEncoding.encode).joined(separator: "&")
    }

    /// The signature in base64 (§3.4.2).
    ///
    /// `tokenSecret` is empty if there is no token yet.
    package static func signature(of baseString: String, clientSecret: String, tokenSecret: String) -> String {
        let key = PercentEncoding.encode(clientSecret) + "&" + PercentEncoding.encode(tokenSecret)
        return Base64.encode(
            HMACSHA1.authenticationCode(for: Array(baseString.utf8), key: Array(key.utf8)))
    }
}
