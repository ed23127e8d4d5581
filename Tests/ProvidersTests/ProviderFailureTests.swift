import Documents
import Providers
import Support
import Testing
import Transport

@Suite("Failures of a provider")
struct ProviderFailureTests {
    @Test(
        "A status is what it says: 429 throttled, 503 unavailable, any other a failure",
        arguments: [
            (429, ProviderFailure.throttled(retryAfter: nil)), (503, .unavailable(retryAfter: nil)),
            (302, .failed(status: 302)), (402, .refusedClient(.credit)), (500, .failed(status: 500)),
            (502, .failed(status: 502)),
        ])
    func statuses(_ status: Int, _ failure: ProviderFailure) {
        #expect(ProviderFailure(OutboundResponse(status: status)) == failure)
    }

    @Test(
        "Retry-After is taken in seconds, up to a minute",
        arguments: [
            ("0", 0), ("7", 7), ("60", 60), ("61", 60), ("99999999999", 60), ("-1", nil), ("soon", nil),
            ("Fri, 31 Dec 1999 23:59:59 GMT", nil), ("99999999999999999999999", nil),
        ] as [(String, Int64?)])
    func retryAfter(_ text: String, _ seconds: Int64?) {
        let header = [HeaderField("retry-after", text)]
        #expect(ProviderFailure(OutboundResponse(status: 429, header: header)) == .throttled(retryAfter: seconds))
        #expect(ProviderFailure(OutboundResponse(status: 503, header: header)) == .unavailable(retryAfter: seconds))
    }

    @Test(
        "A credential is as good as before where nothing arrived, or the provider said: not now",
        arguments: [
            (ProviderFailure.noAnswer(.unreachable(host: "h")), true), (.noAnswer(.untrusted(host: "h")), true),
            (.noAnswer(.refusedURL), true), (.noAnswer(.overloaded(host: "h")), true),
            (.noAnswer(.timedOut(host: "h", requestSent: false)), true),
            (.noAnswer(.cancelled(requestSent: false)), true), (.throttled(retryAfter: 1), true),
            (.unavailable(retryAfter: nil), true), (.document(.malformed), true),
            (.noAnswer(.timedOut(host: "h", requestSent: true)), false),
            (.noAnswer(.cancelled(requestSent: true)), false), (.noAnswer(.interrupted(host: "h")), false),
            (.noAnswer(.tooLarge(host: "h")), false), (.noAnswer(.notHTTP(host: "h")), false),
            (.failed(status: 500), false), (.failed(status: 302), false), (.refusedClient(.credentials), false),
            (.accountDisabled, false),
            (.malformedResponse("scope"), false),
        ])
    func unspent(_ failure: ProviderFailure, _ isUnspent: Bool) {
        #expect(failure.leavesCredentialUnspent == isUnspent)
    }
}
