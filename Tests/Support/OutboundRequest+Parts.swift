package import Standards
package import Transport

extension OutboundRequest {
    /// The parameters of the form body.
    ///
    /// - Throws: `ParametersError` if the body is not a form.
    package var form: Parameters {
        get throws { try Parameters.parse(String(decoding: body, as: UTF8.self)) }
    }

    /// The parameters of the URL's query.
    ///
    /// - Throws: `ParametersError` if the query is malformed.
    package var query: Parameters {
        get throws { try Parameters.parse(url.drop { $0 != "?" }.dropFirst()) }
    }

    package subscript(field name: String) -> String? {
        header.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
