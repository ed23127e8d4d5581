internal import HTTPTypes
package import Hummingbird
internal import Jansson
internal import NIOCore

/// The admin listener: is the process up, can it sign anybody in, what has it done.
package struct AdminDoor: HTTPResponder {
    package typealias Context = DoorContext

    private let readiness: Readiness
    private let admission: Admission
    private let metrics: Metrics

    package init(readiness: Readiness, admission: Admission, metrics: Metrics) {
        self.readiness = readiness
        self.admission = admission
        self.metrics = metrics
    }

    package func respond(to request: Request, context: DoorContext) async throws -> Response {
        let requestID = RequestIdentifier.make()
        var response = await answer(request, requestID)
        response.secure(requestID: requestID)
        // RFC 9110 §9.3.2: what follows the header of an answer to HEAD is the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request, _ requestID: String) async -> Response {
        let path = request.head.path ?? ""
        guard ["/healthz", "/readyz", "/metrics"].contains(path)
        else { return .refusal(ErrorTable.answer(to: .notFound), requestID: requestID) }
        guard request.method == .get
        else { return .refusal(ErrorTable.answer(to: .methodNotAllowed(allowed: ["GET"])), requestID: requestID) }
        switch path {
        case "/healthz":
            return .json(.object(["status": .string("ok")]))
        case "/readyz":
            let failing = admission.isDraining ? ["draining"] : await readiness.failingParts()
            guard failing.isEmpty else {
                return .json(
                    .object(["status": .string("unavailable"), "failing": .array(failing.map(JSON.string))]),
                    status: .serviceUnavailable)
            }
            return .json(.object(["status": .string("ready")]))
        default:
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(inFlight: admission.inFlight))))
        }
    }
}
