internal import AttackLab
internal import Foundation

/// The folder and the executable that a run needs.
struct AttackBench {
    /// This program itself, to be started with other subcommands.
    let executable: String
    let folder: String
    private let isKept: Bool

    /// - `folder`: nil for one that is removed afterwards.
    init(folder: String?) throws {
        guard let executable = Bundle.main.executablePath else {
            throw Exit.because("this program does not know where it stands", Exit.failure)
        }
        self.executable = executable
        isKept = folder != nil
        let path = folder ?? NSTemporaryDirectory() + "token-exchange-attack-\(UUID().uuidString)"
        self.folder = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL.path
    }

    func testBed(_ name: String, store: String? = nil) -> TestBed {
        TestBed(executable: executable, folder: folder + "/" + name, store: store)
    }

    func clear() {
        if !isKept { try? FileManager.default.removeItem(atPath: folder) }
    }
}
