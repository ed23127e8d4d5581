package import Transport

/// The response of a scripted peer to one request.
package struct ScriptedAnswer: Sendable {
    package typealias Make = @Sendable (OutboundRequest) async throws(TransportError) -> OutboundResponse

    let make: Make

    /// A response that depends on the request.
    package init(_ make: @escaping Make) {
        self.make = make
    }

    package static func body(
        _ text: String, type: String?, status: Int = 200, header: [HeaderField] = []
    ) -> Self {
        bytes(
            Array(text.utf8), status: status,
            header: [type.map { HeaderField("Content-Type", $0) }].compactMap(\.self) + header)
    }

    package static func bytes(_ body: [UInt8], status: Int = 200, header: [HeaderField] = []) -> Self {
        let response = OutboundResponse(status: status, header: header, body: body)
        return Self { _ throws(TransportError) in response }
    }

    package static func json(_ text: String, status: Int = 200, header: [HeaderField] = []) -> Self {
        body(text, type: "application/json;charset=UTF-8", status: status, header: header)
    }

    /// A form with the content type that X sends.
    package static func form(_ text: String) -> Self {
        body(text, type: "text/html;charset=utf-8")
    }

    package static func page(status: Int = 200) -> Self {
        body("<html><body>It works!</body></html>", type: "text/html", status: status)
    }

    package static func status(_ status: Int, header: [HeaderField] = []) -> Self {
        body("", type: "text/plain", status: status, header: header)
    }

    package static func failure(_ error: TransportError) -> Self {
        Self { _ throws(TransportError) in throw error }
    }
}
