import Glibc
import NIOCore
import Testing

@testable import Server

@Suite("Listeners that cannot be started")
struct BindFailureTests {
    @Test(
        "An error of bind(2) that an operator can remove is explained",
        arguments: [
            (EADDRINUSE, "another program uses this port; change server.listen"),
            (EACCES, "only root may use ports below 1024; choose another port in server.listen"),
            (EADDRNOTAVAIL, "this machine does not have this address; change server.listen"),
        ])
    func advice(number: CInt, sentence: String) {
        let failure = BindFailure(IOError(errnoCode: number, reason: "bind"))
        #expect(failure?.advice(changing: "server.listen") == sentence)
    }

    @Test("Another error is not explained")
    func other() {
        #expect(BindFailure(IOError(errnoCode: EIO, reason: "bind")) == nil)
        #expect(BindFailure(CancellationError()) == nil)
    }
}
