import Foundation
import Glibc
import OperatingSystem
import Testing

@Suite("The service manager")
struct ServiceManagerTests {
    /// A socket as that of a manager, in a folder of its own.
    private final class Socket {
        let path: String
        private let folder: URL
        private let descriptor: Int32

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "notify-" + UUID().uuidString.prefix(8))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            path = folder.path + "/n"
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
            let bound = unsafe withUnsafePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
        }

        deinit {
            close(descriptor)
            try? FileManager.default.removeItem(at: folder)
        }

        /// Returns the message that has arrived; `nil` if there is none.
        func message() -> String? {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    @Test("Each state is one message of sd_notify(3)")
    func states() throws {
        let socket = try Socket()
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": socket.path]))
        #expect(manager.watchdog == nil)
        for (state, text) in [
            (ServiceManager.State.ready, "READY=1"), (.stopping, "STOPPING=1"), (.alive, "WATCHDOG=1"),
        ] {
            #expect(manager.tell(state))
            #expect(socket.message() == text)
        }
        #expect(manager.tell(.reloading))
        let lines = socket.message()?.split(separator: "\n") ?? []
        #expect(lines.first == "RELOADING=1")
        #expect(lines.last?.hasPrefix("MONOTONIC_USEC=") == true && lines.count == 2)
        #expect(socket.message() == nil)
    }

    @Test("A message to a manager that is gone is not sent, and nothing else happens")
    func gone() throws {
        let path = try Socket().path
        #expect(try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path])).tell(.ready) == false)
    }

    @Test(
        "Without the address of a socket there is no manager",
        arguments: [
            [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "n"],
            ["NOTIFY_SOCKET": "/" + String(repeating: "n", count: 108)],
        ])
    func none(environment: [String: String]) {
        #expect(ServiceManager(environment: environment) == nil)
    }

    @Test("The watchdog has an interval, if it is meant for this process")
    func watchdog() {
        func interval(_ further: [String: String]) -> Duration? {
            ServiceManager(environment: ["NOTIFY_SOCKET": "@n"].merging(further) { $1 }, processID: 7)?.watchdog
        }
        #expect(interval(["WATCHDOG_USEC": "2000000"]) == .seconds(2))
        #expect(interval(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "7"]) == .seconds(2))
        #expect(interval(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "x"]) == nil)
    }
}
