internal import AttackLab
internal import Foundation
internal import Settings

/// The folder and the executables that a run needs.
struct AttackWorkspace {
    private let programs: TestBed.Programs
    let folder: String
    private let isKept: Bool

    /// Finds the executables.
    ///
    /// - Parameters:
    ///   - server: The `token-exchange` to attack; `nil` for the one in the folder of this program.
    ///   - folder: The folder to keep; `nil` for a temporary folder, which ``clear()`` removes.
    /// - Throws: Exit 1 if the path of this program is unknown.
    init(server: String?, folder: String?) throws {
        let lab = try TokenExchangeLab.executable()
        let sibling = URL(filePath: lab).deletingLastPathComponent().appending(path: "token-exchange").path
        let server = URL(filePath: server ?? sibling).standardizedFileURL.path
        programs = TestBed.Programs(server: server, lab: lab)
        isKept = folder != nil
        let path = folder ?? NSTemporaryDirectory() + "token-exchange-attack-\(UUID().uuidString)"
        self.folder = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL.path
    }

    /// Checks that the server to attack can be started.
    ///
    /// - Throws: Exit 64 if it is not an executable file.
    func requireServer() throws {
        guard FileManager.default.isExecutableFile(atPath: programs.server) else {
            throw Exit.because(
                "\(programs.server) is not an executable file; name token-exchange with --program", Exit.usage)
        }
    }

    func testBed(_ name: String, store: TestBed.Store? = nil) -> TestBed {
        TestBed(programs: programs, folder: folder + "/" + name, store: store)
    }

    func clear() {
        if !isKept { try? FileManager.default.removeItem(atPath: folder) }
    }
}
