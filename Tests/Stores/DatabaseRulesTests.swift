import Foundation
import OperatingSystem
import SQLiteStores
import Stores
import Testing

@Suite("Rules for the files of a database")
struct DatabaseRulesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path + "/" + name)
    }

    @Test(
        "SR-04: a path on a file system that is not known to be local is refused, and no file is created",
        arguments: [(0x6969, "nfs"), (0x6573_5546, "fuse"), (0x0102_1997, "9p"), (0xABCD_EF01, "0xabcdef01")])
    func remote(number: UInt32, name: String) throws {
        let path = folder.database
        let rules = DatabaseRules { _ in FileSystem(number: number) }
        #expect(throws: StoreError.notLocal(fileSystem: name)) { try SQLiteStore.open(path: path, rules: rules) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let insisting = DatabaseRules(allowsNetworkFilesystem: true) { _ in FileSystem(number: number) }
        _ = try SQLiteStore.open(path: path, rules: insisting)
    }

    @Test("SR-04: a database file that is a link to another file system is refused")
    func remoteFile() throws {
        let path = folder.database
        let rules = DatabaseRules { FileSystem(number: $0 == path ? 0x6969 : 0xEF53) }
        #expect(throws: StoreError.notLocal(fileSystem: "nfs")) { try SQLiteStore.open(path: path, rules: rules) }
        _ = try SQLiteStore.open(path: path, rules: DatabaseRules { _ in FileSystem(number: 0xEF53) })
    }

    @Test(
        "A database, log, index or watch file that group or others can read or write is refused, unless allowed",
        arguments: [
            (0o640, "can be read by its group"), (0o604, "can be read by all other users"),
            (0o620, "can be written by its group"), (0o602, "can be written by all other users"),
            (0o666, "can be read and written by its group and by all other users"),
        ])
    func exposed(mode: Int, fact: String) async throws {
        for name in ["store.db", "store.db-wal", "store.db-shm", "store.db.watch"] {
            let folder = try TemporaryFolder()
            let store = try SQLiteStore.open(path: folder.database)
            #expect(store.fileWarnings == [])
            // A use creates log and index.
            #expect(try await store.spend([.baseline("a")], at: now) == .first)
            let file = folder.path + "/" + name
            let objection = "\(fact): run chmod 600 \(file)"
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            #expect(throws: StoreError.exposed(path: file, objection: objection)) {
                try SQLiteStore.open(path: folder.database)
            }
            let insisting = try SQLiteStore.open(
                path: folder.database, rules: DatabaseRules(allowsInsecurePermissions: true))
            #expect(insisting.fileWarnings == ["the file \(file) \(objection)"])
            #expect(try await insisting.spend([.baseline("a")], at: now) == .replayed(.authorizationCode))
            #expect(try folder.mode(of: name) == mode)
        }
    }

    @Test("A database that others can read since the first check is refused as well")
    func exposedMeanwhile() throws {
        let path = folder.database
        try SQLiteStore.open(path: path).close()
        let rules = DatabaseRules { asked in
            // This happens between the first check and the opening.
            if asked == path {
                try? FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            }
            return FileSystem(number: 0xEF53)
        }
        let objection = "can be read by its group and by all other users: run chmod 600 \(path)"
        #expect(throws: StoreError.exposed(path: path, objection: objection)) {
            try SQLiteStore.open(path: path, rules: rules)
        }
    }

    @Test("Checking the files of an open database releases none of its locks")
    func locks() async {
        let path = folder.database
        // A process of its own has no locks of other databases.
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try SQLiteStore.open(path: path)
            #expect(try await store.spend([.baseline("a")], at: now) == .first)
            // A reading of /proc/locks can miss an entry while another process takes or releases a lock, so this is the
            // union of several readings, and of more if an expected lock is missing. A lock that was released is in none
            // of them. A write or a reading transaction that still ends holds the bytes 120 to 127 of the index for a moment
            // (https://sqlite.org/walformat.html), and a connection of the pool that opens holds the byte of a pending lock in
            // the database (https://sqlite.org/lockingv3.html): these do not count.
            let passing = Array(120...127) + [0x4000_0000]
            func locks(expecting expected: Set<String> = []) throws -> Set<String> {
                var found: Set<String> = []
                for reading in 0..<4000 where reading < 64 || !expected.isSubset(of: found) {
                    let table = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
                    for line in table.split(separator: "\n") where line.contains("POSIX") {
                        // The first column is the number of the line.
                        let columns = line.split(separator: " ").dropFirst()
                        let isPassing = columns.dropLast().last.flatMap { Int($0) }.map(passing.contains) ?? false
                        if columns.contains("\(getpid())"), !isPassing { found.insert(columns.joined(separator: " ")) }
                    }
                }
                return found
            }
            let before = try locks()
            #expect(!before.isEmpty)
            #expect(throws: StoreError.notLocal(fileSystem: "nfs")) {
                try SQLiteStore.open(path: path, rules: DatabaseRules { _ in FileSystem(number: 0x6969) })
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let objection = "can be read by its group and by all other users: run chmod 600 \(path)"
            #expect(throws: StoreError.exposed(path: path, objection: objection)) {
                try SQLiteStore.open(path: path)
            }
            #expect(try locks(expecting: before) == before)
            // The leak sanitizer runs as soon as the process ends, so the store is closed before.
            try store.close()
        }
    }

    @Test("A folder that others can write gives a warning; a sticky one only if it is the folder of the database")
    func openFolder() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/inner", withIntermediateDirectories: false)
        let path = folder.path + "/inner/store.db"
        func warnings() throws -> [String] { try SQLiteStore.open(path: path).fileWarnings }
        let (outer, inner) = (folder.path, folder.path + "/inner")
        #expect(try warnings() == [])
        for mode in [0o777, 0o770, 0o1777] {
            try setMode(mode, of: "inner")
            #expect(try warnings() == [OpenFolders.warning(about: inner)])
        }
        try setMode(0o700, of: "inner")
        try setMode(0o1777, of: "")
        #expect(try warnings() == [])
        try setMode(0o777, of: "")
        #expect(try warnings() == [OpenFolders.warning(about: outer)])
    }
}
