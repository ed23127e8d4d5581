import Foundation
import OperatingSystem
import Testing

@Suite("Opened files")
final class OpenedFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "opened-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func make(_ name: String, _ bytes: [UInt8] = [1, 2, 3], mode: Int) throws -> String {
        let path = folder + "/" + name
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test("Mode and content are those of the opened file, even if the path is replaced afterwards")
    func replaced() throws {
        let path = try make("key", mode: 0o644)
        let file = try OpenedFile(path)
        try FileManager.default.moveItem(atPath: try make("other", [9], mode: 0o600), toPath: path + ".new")
        #expect(unsafe rename(path + ".new", path) == 0)
        #expect(file.exposure == .readable)
        #expect(try file.read(atMost: 10) == [1, 2, 3])
        #expect(FileExposure(ofFileAt: path) == [])
    }

    @Test("A read returns at most the given number of bytes, over many system calls")
    func limit() throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = try make("large", bytes, mode: 0o600)
        #expect(try OpenedFile(path).read(atMost: 200_001) == bytes)
        #expect(try OpenedFile(path).read(atMost: 150_000) == Array(bytes.prefix(150_000)))
        #expect(try OpenedFile(path).read(atMost: 0) == [])
    }

    private func failure(_ path: String) -> OpenedFile.Failure? {
        do throws(OpenedFile.Failure) {
            _ = try OpenedFile(path)
            return nil
        } catch {
            return error
        }
    }

    @Test("A folder, a pipe without a writer, and a missing path cannot be opened as a file")
    func noFile() throws {
        #expect(failure(folder) == .unreadable)
        #expect(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
        #expect(failure(folder + "/pipe") == .unreadable)
        #expect(failure(folder + "/none") == .missing)
        #expect(failure(try make("file", mode: 0o600) + "/below") == .missing)
    }

    @Test("The folders above a file include those that a symbolic link leads through")
    func folders() throws {
        for name in ["open", "closed"] {
            try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: false)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder + "/open")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/closed")
        _ = try make("open/key", mode: 0o600)
        _ = try make("closed/key", mode: 0o600)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/open/link", withDestinationPath: folder + "/closed/key")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/closed/link", withDestinationPath: folder + "/open/key")
        #expect(OpenFolders.above(folder + "/closed/key") == [])
        for path in ["/open/key", "/open/link", "/closed/link", "/open/missing"] {
            #expect(OpenFolders.above(folder + path) == [folder + "/open"], "\(path)")
        }
    }

    @Test("A sticky folder counts for the files in it, and not for files in its subfolders")
    func sticky() throws {
        for name in ["sticky", "sticky/own"] {
            try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: false)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder + "/sticky")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/sticky/own")
        _ = try make("sticky/key", mode: 0o600)
        _ = try make("sticky/own/key", mode: 0o600)
        #expect(OpenFolders.above(folder + "/sticky/key") == [folder + "/sticky"])
        #expect(OpenFolders.above(folder + "/sticky/own/key") == [])
    }

    @Test(
        "A folder that belongs to another user counts, whatever its mode",
        .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreignFolder() throws {
        try FileManager.default.createDirectory(atPath: folder + "/theirs", withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/theirs")
        _ = try make("theirs/key", mode: 0o600)
        #expect(OpenFolders.above(folder + "/theirs/key") == [])
        #expect(unsafe chown(folder + "/theirs", 12345, 12345) == 0)
        #expect(OpenFolders.above(folder + "/theirs/key") == [folder + "/theirs"])
    }

    @Test("A process that hides its memory is not dumpable and writes no core file")
    func hidden() async {
        await #expect(processExitsWith: .success) {
            #expect(ProcessMemory.isDumpable)
            #expect(ProcessMemory.hide())
            #expect(!ProcessMemory.isDumpable)
            var limit = rlimit()
            #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
            #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
        }
    }
}
