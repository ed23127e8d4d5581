import Foundation
import Jansson
import Testing

@testable import token_exchange

@Suite("Audit trail of the signer", .timeLimit(.minutes(1)))
struct SignerAuditOutputTests {
    @Test("A line that was written in part is no success, and the next line does not continue it")
    func torn() async throws {
        let pipe = Pipe()
        let end = pipe.fileHandleForWriting
        // A write to a full pipe then fails, as on a full disk.
        #expect(fcntl(end.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let audit = SignerAuditOutput(end)
        #expect(await !audit.write(.string(String(repeating: "x", count: 1_000_000))))
        var text = pipe.fileHandleForReading.availableData
        #expect(await audit.write(.string("a")))
        #expect(await audit.write(.string("b")))
        try end.close()
        text += try pipe.fileHandleForReading.readToEnd() ?? Data()
        #expect(String(decoding: text, as: UTF8.self).hasSuffix("x\n\"a\"\n\"b\"\n"))
    }
}
