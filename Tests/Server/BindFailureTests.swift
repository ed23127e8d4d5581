import Glibc
import NIOCore
import Testing

@testable import Server

@Suite("Listeners that cannot be started")
struct BindFailureTests {
    @Test(
        "An error of bind(2) is told in the words of the system, with what to change",
        arguments: [
            (EADDRINUSE, "Address already in use: end the other process, or change server.listen"),
            (EACCES, "Permission denied: ports below 1024 are usually only for root, so change server.listen"),
            (
                EADDRNOTAVAIL,
                "Cannot assign requested address: this machine has no such address: write one of its own, or for all of "
                    + "them 0.0.0.0, in server.listen"
            ),
            (
                EAFNOSUPPORT,
                "Address family not supported by protocol: this machine has no such address: write one of its own, or for "
                    + "all of them 0.0.0.0, in server.listen"
            ),
            // The address of one link, fe80::1, without its zone.
            (EINVAL, "Invalid argument: change server.listen"),
            (EMFILE, "Too many open files"),
        ])
    func sentence(number: CInt, sentence: String) {
        let error = IOError(errnoCode: number, reason: "bind")
        #expect(BindFailure.sentence(error, changing: "server.listen") == sentence)
    }

    @Test("Another error has only its own description")
    func other() {
        let error = CancellationError()
        #expect(BindFailure.sentence(error, changing: "server.listen") == "\(error)")
    }
}
