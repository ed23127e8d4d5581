import Foundation
import OperatingSystem
import Testing

@Suite("What prevents a file from being opened")
final class FileObstacleTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "obstacle-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func make(_ name: String, mode: Int) throws -> String {
        let path = folder + "/" + name
        #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test("A file that can be read and written, and a folder in which files can be made, have none")
    func none() throws {
        let path = try make("file", mode: 0o600)
        #expect(FileObstacle(of: path) == nil)
        #expect(FileObstacle(of: path, for: .writing) == nil)
        #expect(FileObstacle(makingFilesIn: folder) == nil)
    }

    @Test("A missing file is distinguished from a missing folder, which is the innermost one")
    func missing() throws {
        #expect(FileObstacle(of: folder + "/none") == .missing)
        #expect(FileObstacle(of: folder + "/no/none") == .missingFolder(folder + "/no"))
        #expect(FileObstacle(of: folder + "/no/further/none") == .missingFolder(folder + "/no"))
        #expect(FileObstacle(makingFilesIn: folder + "/no") == .missingFolder(folder + "/no"))
        let file = try make("file", mode: 0o600)
        #expect(FileObstacle(of: file + "/none") == .notAFolder(file))
        #expect(FileObstacle(makingFilesIn: file) == .notAFolder(file))
    }

    @Test("A folder, a pipe and a dangling link are named, and a link to a file is followed")
    func others() throws {
        #expect(FileObstacle(of: folder) == .folder)
        #expect(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
        #expect(FileObstacle(of: folder + "/pipe") == .special("a named pipe"))
        #expect(FileObstacle(of: "/dev/null") == .special("a device"))
        for (name, target) in [("dangling", "nowhere"), ("right", try make("file", mode: 0o600))] {
            try FileManager.default.createSymbolicLink(atPath: folder + "/" + name, withDestinationPath: target)
        }
        #expect(FileObstacle(of: folder + "/dangling") == .danglingLink(target: "nowhere"))
        #expect(FileObstacle(of: folder + "/right") == nil)
    }

    @Test("A file that the mode denies is named with its owner and mode", .disabled(if: geteuid() == 0))
    func denied() throws {
        let path = try make("file", mode: 0o200)
        #expect(FileObstacle(of: path) == .denied(path, .reading, owner: ProcessUser.name, mode: 0o200))
        #expect(FileObstacle(of: path, for: .writing) == .denied(path, .writing, owner: ProcessUser.name, mode: 0o200))
    }

    @Test("A file is judged for another user by the modes of its folders and its own", .enabled(if: geteuid() == 0))
    func otherUser() throws {
        let path = try make("file", mode: 0o640)
        #expect(
            FileObstacle(reading: path, as: "nobody") == .denied(folder, .reading, owner: "root", mode: 0o700))
        try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder)
        #expect(FileObstacle(reading: path, as: "nobody") == .denied(path, .reading, owner: "root", mode: 0o640))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(FileObstacle(reading: path, as: "nobody") == nil)
        #expect(FileObstacle(reading: path, as: "no such user") == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(FileObstacle(reading: path, as: "root") == nil)
    }

    @Test("The sentence about a denied access has user, owner and mode")
    func sentence() {
        #expect(
            FileObstacle.denied("/keys", .reading, owner: "root", mode: 0o40).sentence(for: "server")
                == "cannot be read by the user server, because /keys belongs to root and has the mode 0040: change owner or "
                + "mode")
        for (owner, isOther) in [("no such user", true), (ProcessUser.name, false)] {
            let sentence = FileObstacle.denied("/keys", .reading, owner: owner, mode: 0o400).sentence()
            #expect(sentence.hasSuffix(", or run this program as \(owner)") == isOther)
        }
        #expect(
            FileObstacle.denied("/home", .reading, owner: "root", mode: 0).sentence(for: "server")
                == "cannot be opened by the user server: this process sees /home with the owner root and the mode 0000, as behind "
                + "ProtectHome of a systemd unit: move the file to another folder")
    }

    @Test("A relative path is shown with the folder in which it starts")
    func relative() {
        #expect(PathText.of("/a/b") == "/a/b")
        #expect(
            PathText.of("a/b") == "a/b (in \(FileManager.default.currentDirectoryPath), the working directory)")
    }
}
