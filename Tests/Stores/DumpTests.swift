import Foundation
import SQLiteStores
import Stores
import Testing

@Suite("A dump of the store")
struct DumpTests {
    @Test("KY-05: the files of a store contain no spent credential")
    func digestsAlone() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.database)
        let codes = SpentKind.allCases.map { "a-credential-of-kind-\($0.rawValue)" }
        for (code, kind) in zip(codes, SpentKind.allCases) {
            #expect(try await store.spend([.baseline(code, kind)], at: now) == .first)
        }
        var dump = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            // `FileManager.contents(atPath:)` leaks its buffer if the file is empty.
            let file = try #require(FileHandle(forReadingAtPath: folder.path + "/" + name))
            dump += try file.readToEnd() ?? Data()
            try file.close()
        }
        // The control: the digests of the records are in the files.
        #expect(dump.range(of: Data(SpentRecord.baseline(codes[0], SpentKind.allCases[0]).digest)) != nil)
        for code in codes {
            #expect(dump.range(of: Data(code.utf8)) == nil)
        }
        try store.close()
    }
}
