import Foundation
import Synchronization

/// Google's emulator of Firestore, which the Google Cloud SDK contains.
///
/// It keeps everything in memory. A database exists as soon as it is named, so that each test uses one of its own.
package final class FirestoreEmulator: Sendable {
    /// An emulator that is started at its first use, and ends with this process.
    package static let shared = Result { try FirestoreEmulator() }

    /// Whether tests can use it.
    package static let isInstalled = running != nil || program != nil

    /// Host and port.
    package let host: String
    private let process: ServerProcess?

    /// An emulator that runs already: the variable `FIRESTORE_EMULATOR_HOST`.
    private static let running = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"]

    /// The archive of the emulator: beside the program that `FIRESTORE_EMULATOR` names, or in the folder of gcloud.
    private static let program: String? = {
        let named = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR"].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().path
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let found = path.split(separator: ":").map { $0 + "/gcloud" }.first(where: isProgram)
        let sdk = found.map {
            URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent()
                .deletingLastPathComponent().path + "/platform/cloud-firestore-emulator"
        }
        return [named, sdk].compactMap { $0.map { $0 + "/cloud-firestore-emulator.jar" } }
            .first { FileManager.default.isReadableFile(atPath: $0) && isProgram(java) }
    }()

    private static let java = "/usr/bin/java"

    private static func isProgram(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    private init() throws {
        if let running = Self.running {
            (host, process) = (running, nil)
            return
        }
        guard let program = Self.program else { throw PostgresServerError.notInstalled }
        let port = try Self.freePort()
        let folder = NSTemporaryDirectory() + "token-exchange-firestore-" + UUID().uuidString.prefix(8)
        try Account.makeFolder(folder)
        // The script of the emulator would leave its child behind.
        let process = try ServerProcess(
            Self.java,
            [
                "-Duser.language=en", "-cp", program,
                "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host=127.0.0.1",
                "--port=\(port)",
            ], folder: folder, quitting: SIGTERM)
        let deadline = ContinuousClock.now + .seconds(60)
        while (try? Self.connect(port)) == nil {
            guard ContinuousClock.now < deadline, process.isRunning else { throw PostgresServerError.notStarted }
            usleep(50_000)
        }
        self.process = process
        host = "127.0.0.1:\(port)"
    }

    /// The name of an empty database.
    package func database() -> String { "t-" + UUID().uuidString.lowercased() }

    /// Returns a port of loopback that no program uses.
    package static func freePort() throws -> UInt16 {
        try unsafe socket(port: 0) { descriptor, address, length in
            guard unsafe Glibc.bind(descriptor, address, length) == 0 else { throw PostgresServerError.notStarted }
            var bound = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = unsafe withUnsafeMutableBytes(of: &bound) { bytes in
                unsafe getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
            guard result == 0 else { throw PostgresServerError.notStarted }
            return UInt16(bigEndian: bound.sin_port)
        }
    }

    private static func connect(_ port: UInt16) throws {
        try unsafe socket(port: port) { descriptor, address, length in
            guard unsafe Glibc.connect(descriptor, address, length) == 0 else { throw PostgresServerError.notStarted }
        }
    }

    private static func socket<Value>(
        port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>?, socklen_t) throws -> Value
    ) throws -> Value {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try unsafe withUnsafeBytes(of: &address) { bytes in
            try unsafe body(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}
