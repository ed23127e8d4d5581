import OperatingSystem
import Testing

@Suite("Exposure of files")
struct FileExposureTests {
    @Test("The permissions of group and others count, and neither those of the owner nor the type of the file")
    func modes() {
        func exposure(_ mode: UInt32) -> FileExposure { FileExposure(mode: mode, owner: 7, user: 7) }
        for mode: UInt32 in [0o600, 0o400, 0o100600, 0o711, 0o4700] { #expect(exposure(mode) == []) }
        for mode: UInt32 in [0o640, 0o040] { #expect(exposure(mode) == .groupReadable) }
        for mode: UInt32 in [0o604, 0o004] { #expect(exposure(mode) == .otherReadable) }
        #expect(exposure(0o100644) == .readable)
        #expect(exposure(0o620) == .groupWritable)
        for mode: UInt32 in [0o602, 0o002] { #expect(exposure(mode) == .otherWritable) }
        #expect(exposure(0o666) == [.readable, .writable])
    }

    @Test("A file is foreign unless root or the user of the process owns it")
    func owners() {
        func exposure(owner: UInt32, user: UInt32) -> FileExposure {
            FileExposure(mode: 0o600, owner: owner, user: user)
        }
        #expect(exposure(owner: 7, user: 7) == [])
        #expect(exposure(owner: 0, user: 0) == [])
        #expect(exposure(owner: 0, user: 7) == .ofRoot)
        #expect(exposure(owner: 8, user: 7) == .foreign)
        // The owner could change the file while a command of root uses it.
        #expect(exposure(owner: 7, user: 0) == .foreign)
    }

    private func objections(_ exposure: FileExposure) -> [String?] {
        [FileContent.secret, .configuration].map { $0.objection(to: exposure, at: "/f", user: "u") }
    }

    @Test("A secret must not be readable or writable by other users; a configuration may be readable")
    func objections() {
        #expect(objections([]) == [nil, nil])
        #expect(objections(.ofRoot) == [nil, nil])
        #expect(
            objections(.readable) == ["can be read by its group and by all other users: run chmod 600 /f", nil])
        #expect(objections(.groupReadable) == ["can be read by its group: run chmod 600 /f", nil])
        #expect(
            objections(.otherWritable)
                == [
                    "can be written by all other users: run chmod 600 /f",
                    "can be written by all other users: run chmod go-w /f",
                ])
        #expect(
            objections([.readable, .groupWritable])
                == [
                    "can be read by its group and by all other users and written by its group: run chmod 600 /f",
                    "can be written by its group: run chmod go-w /f",
                ])
        #expect(
            objections([.groupReadable, .groupWritable]).first
                == "can be read and written by its group: run chmod 600 /f")
    }

    @Test("A file of another user needs another owner, and its mode is changed if it is wrong as well")
    func foreign() {
        let owner = "belongs to another user than root and u"
        let orElse = ": run this program as the owner of the file, or run chown u /f"
        #expect(objections(.foreign) == [owner + orElse, owner + orElse])
        #expect(
            objections([.foreign, .groupReadable])
                == [owner + " and can be read by its group" + orElse + " && chmod 600 /f", owner + orElse])
        #expect(
            objections([.foreign, .groupWritable])[1]
                == owner + " and can be written by its group" + orElse + " && chmod go-w /f")
    }

    @Test("Root is not told to take a file from the user of the server")
    func foreignToRoot() {
        let advice = "belongs to another user than root: run this program as the owner of the file"
        #expect(FileContent.secret.objection(to: .foreign, at: "/f", user: "root") == advice)
        #expect(
            FileContent.secret.objection(to: [.foreign, .groupReadable], at: "/f", user: "root")
                == "belongs to another user than root and can be read by its group: run this program as the owner of the file, "
                + "and run chmod 600 /f")
    }

    @Test("A secret of root that the server reads by its group gets the server as owner, or it could not read it")
    func ofRoot() {
        #expect(
            objections([.ofRoot, .groupReadable]) == [
                "can be read by its group: run chown u /f && chmod 600 /f", nil,
            ])
        #expect(objections([.ofRoot, .groupWritable])[1] == "can be written by its group: run chmod go-w /f")
    }

    @Test("For a secret of a container no command is named, because the next start would undo it")
    func ofContainer() {
        let advice =
            ": set owner and mode at its source, which is the definition of the secret (uid, mode) or the file of the host"
        #expect(
            FileContent.secret.objection(to: [.ofRoot, .readable], at: "/run/secrets/x", user: "u")
                == "can be read by its group and by all other users" + advice)
        #expect(
            FileContent.secret.objection(to: [.ofRoot, .groupReadable], at: "/run/secrets/x", user: "u")
                == "can be read by its group" + advice + " (in a pod whose user is not root, no other mode can be read)"
        )
        #expect(
            FileContent.secret.objection(to: .foreign, at: "/var/run/secrets/x", user: "u")
                == "belongs to another user than root and u" + advice)
    }

    @Test(
        "The path in a command is one word of the shell",
        arguments: [
            ("/etc/a-b_c.d", "/etc/a-b_c.d"), ("/a b", "'/a b'"), ("/it's", #"'/it'\''s'"#), ("-f", "./-f"), ("", "''"),
            ("/$HOME", "'/$HOME'"), ("/é", "'/é'"),
        ])
    func words(path: String, word: String) {
        #expect(ShellWord.of(path) == word)
        #expect(
            FileContent.secret.objection(to: .groupReadable, at: path, user: "u")
                == "can be read by its group: run chmod 600 \(word)")
    }

    @Test("An open folder is named with what is wrong, and one that is gone without a command")
    func folders() {
        #expect(
            OpenFolders.warning(about: "/a", .groupWritable)
                == "other users could replace a file in the folder /a, which can be written by its group: "
                + "run chmod go-w /a")
        #expect(
            OpenFolders.warning(about: "/a", nil)
                == "other users could replace a file in the folder /a, which was open to them: check its owner and mode"
        )
        #expect(
            OpenFolders.warning(about: "/tmp", .writable)
                == "other users could make a file in the folder /tmp, where all may write: name another folder")
    }
}
