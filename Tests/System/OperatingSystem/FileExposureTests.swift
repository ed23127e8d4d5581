import OperatingSystem
import Testing

@Suite("Exposure of files")
struct FileExposureTests {
    @Test("Permissions of group and others count alike, and the type of the file does not count")
    func modes() {
        func exposure(_ mode: UInt32) -> FileExposure { FileExposure(mode: mode, owner: 7, user: 7) }
        for mode: UInt32 in [0o600, 0o400, 0o100600, 0o711, 0o4700] { #expect(exposure(mode) == []) }
        for mode: UInt32 in [0o640, 0o604, 0o100644, 0o040] { #expect(exposure(mode) == .readable) }
        for mode: UInt32 in [0o620, 0o602, 0o002] { #expect(exposure(mode) == .writable) }
        #expect(exposure(0o666) == [.readable, .writable])
    }

    @Test("A file is foreign unless root or the user of the process owns it")
    func owners() {
        func exposure(owner: UInt32, user: UInt32) -> FileExposure {
            FileExposure(mode: 0o600, owner: owner, user: user)
        }
        #expect(exposure(owner: 7, user: 7) == [])
        #expect(exposure(owner: 0, user: 7) == [])
        #expect(exposure(owner: 8, user: 7) == .foreign)
        // The owner could change the file while a command of root uses it.
        #expect(exposure(owner: 7, user: 0) == .foreign)
    }

    @Test("A secret must not be readable or writable by other users; a configuration may be readable")
    func objections() {
        func objections(_ exposure: FileExposure) -> [String?] {
            [FileContent.secret, .configuration].map { $0.objection(to: exposure) }
        }
        let foreign =
            "belongs to another user: run this program as that user, or chown it to the user that runs this program"
        #expect(objections([]) == [nil, nil])
        #expect(objections(.readable) == ["can be read by others: chmod 600 it", nil])
        #expect(
            objections(.writable)
                == ["can be written by others: chmod 600 it", "can be written by others: chmod go-w it"])
        #expect(
            objections([.readable, .writable])
                == ["can be read and written by others: chmod 600 it", "can be written by others: chmod go-w it"])
        #expect(objections(.foreign) == [foreign, foreign])
        #expect(
            objections([.foreign, .readable]) == [foreign + "; can be read by others: chmod 600 it", foreign])
    }
}
