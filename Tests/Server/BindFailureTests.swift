import Glibc
import NIOCore
import Testing

@testable import Server

@Suite("Listeners that cannot be started")
struct BindFailureTests {
    @Test(
        "An error of bind(2) that an operator can remove is explained",
        arguments: [
            (EADDRINUSE, "another process uses this port; change server.listen"),
            (
                EACCES,
                "this process may not use this port. If it is below 1024, choose another one in server.listen; otherwise a rule "
                    + "of this machine, such as one of SELinux, prohibits it"
            ),
            (EADDRNOTAVAIL, "this machine or container does not have this address; change server.listen"),
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
