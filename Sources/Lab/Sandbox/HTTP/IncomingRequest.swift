/// What a stand-in reads of one HTTP request.
struct IncomingRequest: Sendable {
    let method: String
    /// As received, percent-encoding included.
    let path: String
    /// What follows the first `?`, as received; empty where nothing does.
    let query: String
    /// Names in lower case, in the order of arrival.
    let header: [(name: String, value: String)]
    let body: [UInt8]

    func fields(_ name: String) -> [String] {
        header.filter { $0.name == name }.map(\.value)
    }

    /// The value of the first cookie of that name.
    func cookie(_ name: String) -> String? {
        for pair in fields("cookie").flatMap({ $0.split(separator: ";") }) {
            let trimmed = pair.drop { $0 == " " }
            if trimmed.hasPrefix(name + "=") { return String(trimmed.dropFirst(name.count + 1)) }
        }
        return nil
    }

    /// The media type without its parameters, in lower case.
    var mediaType: String? {
        fields("content-type").first?.split(separator: ";").first.map {
            $0.lowercased().filter { !$0.isWhitespace }
        }
    }

    /// Nil where the query is not `application/x-www-form-urlencoded`.
    var queryParameters: FormParameters? { FormParameters(query) }

    /// Nil where the body is not `application/x-www-form-urlencoded`, by its type or in fact.
    var bodyParameters: FormParameters? {
        guard mediaType == "application/x-www-form-urlencoded" else { return nil }
        return String(validating: body, as: UTF8.self).flatMap(FormParameters.init)
    }
}
