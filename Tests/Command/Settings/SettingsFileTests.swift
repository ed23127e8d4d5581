import Foundation
import OperatingSystem
import Settings
import Testing

/// Tests of files on the disk.
@Suite("Files")
final class SettingsFileTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func write(_ bytes: [UInt8], mode: Int) throws -> String {
        let path = folder.appending(path: UUID().uuidString).path
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test(
        "The exposure of a file is read from its mode",
        arguments: [
            (0o600, []), (0o400, []), (0o640, .groupReadable), (0o604, .otherReadable), (0o644, .readable),
            (0o622, .writable), (0o620, .groupWritable), (0o602, .otherWritable),
            (0o660, [.groupReadable, .groupWritable]),
        ] as [(Int, FileExposure)])
    func mode(mode: Int, exposure: FileExposure) throws {
        let file = try SettingsFile.onDisk(write([1, 2], mode: mode))
        #expect(file.bytes == [1, 2])
        #expect(file.exposure == exposure)
        #expect(file.openFolders == [])
    }

    @Test("The mode of a symbolic link is that of its target")
    func link() throws {
        let link = folder.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: write([1], mode: 0o600))
        #expect(try SettingsFile.onDisk(link).exposure == [])
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: write([1], mode: 0o622))
        #expect(try SettingsFile.onDisk(link).exposure == .writable)
    }

    @Test(
        "UTF-16 without a byte order mark, and binary keys and certificates, are named",
        arguments: [
            ([0x73, 0, 0x65, 0], .wide), ([0, 0x73, 0, 0x65], .wide), ([0, 0, 0, 0x80], .otherEncoding),
            ([0x30, 0x82, 0x03, 0x0A, 0xFF], .der), ([0x30, 0xFF], .otherEncoding), ([0xFF, 0x30], .otherEncoding),
        ] as [([UInt8], SettingsFileError)])
    func otherForms(bytes: [UInt8], error: SettingsFileError) {
        #expect(throws: error) { try SettingsFile(bytes: bytes).text() }
    }

    @Test(
        "A binary key of a service account is answered with the kind of key to add, because none in PEM is read there")
    func binaryKey() throws {
        let loader = SettingsLoader(environment: Sample.environment) { path throws(SettingsFileError) in
            SettingsFile(
                bytes: path == "/keys/account.json"
                    ? [0x30, 0x82, 0x03, 0x0A, 0xFF] : Array((Sample.files[path] ?? "").utf8))
        }
        let problem = SettingsProblem(
            line: 9, key: "firebase.service_account",
            message:
                "the file /keys/account.json is no JSON file, but a key in PKCS#12 or DER: add a key of the type JSON in "
                + "Google's console")
        #expect(throws: SettingsProblems([problem])) { try loader.parse(yaml: Sample.yaml) }
    }

    @Test("The content of a file is not printed")
    func description() {
        let file = SettingsFile(bytes: Array("hunter2".utf8))
        var dumped = ""
        dump(file, to: &dumped)
        #expect("\(file)" == "file of 7 bytes")
        #expect(String(reflecting: file) == "file of 7 bytes")
        #expect(!dumped.contains("104"))
    }

    @Test("A file that is missing, a folder, or too large is refused")
    func refusals() throws {
        #expect(throws: SettingsFileError.missing) { try SettingsFile.onDisk(folder.path + "/none") }
        #expect(throws: SettingsFileError.obstacle(.missingFolder(folder.path + "/no"))) {
            try SettingsFile.onDisk(folder.path + "/no/file")
        }
        #expect(throws: SettingsFileError.obstacle(.folder)) { try SettingsFile.onDisk(folder.path) }
        let pipe = folder.appending(path: "pipe").path
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(throws: SettingsFileError.obstacle(.special("a named pipe"))) { try SettingsFile.onDisk(pipe) }
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nowhere")
        #expect(throws: SettingsFileError.obstacle(.danglingLink(target: "/nowhere"))) {
            try SettingsFile.onDisk(link)
        }
        let large = try write([UInt8](repeating: 0x20, count: 1_048_577), mode: 0o600)
        #expect(throws: SettingsFileError.tooLarge(maximumBytes: 1_048_576)) { try SettingsFile.onDisk(large) }
    }

    @Test("A configuration that does not exist, or is not UTF-8, is refused with its path")
    func configuration() throws {
        let loader = SettingsLoader(environment: [:])
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: nil, key: "", message: "/nowhere/at.all does not exist, and neither does the folder /nowhere")
            ])
        ) { try loader.loadOffline(.file(path: "/nowhere/at.all")) }
        let path = try write([0x61, 0xFF], mode: 0o600)
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: nil, key: "", message: "\(path) \(SettingsFileError.otherEncoding.message)")
            ])
        ) {
            try loader.loadOffline(.file(path: path))
        }
    }

    @Test("A byte order mark is no part of a configuration or of a secret, and UTF-16 is refused by its name")
    func byteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let secret = try write(mark + Array("5f4dcc3b5aa765d6\r\n".utf8), mode: 0o600)
        let yaml = Sample.yaml.replacing("client_secret: env:YAHOO_SECRET", with: "client_secret: file:\(secret)")
        let settings = try Self.loader(insisting: false).loadOffline(
            .file(path: write(mark + Array(yaml.utf8), mode: 0o600))
        ).settings
        #expect(settings.providers.openIDConnect.first?.authentication.secret?.secretText == "5f4dcc3b5aa765d6")
        for wide: [UInt8] in [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] {
            let path = try write(wide, mode: 0o600)
            let problem = SettingsProblem(line: nil, key: "", message: "\(path) is UTF-16: save it as UTF-8")
            #expect(throws: SettingsProblems([problem])) {
                try Self.loader(insisting: false).loadOffline(.file(path: path))
            }
            let (yaml, line) = try Sample.changing(
                "client_secret: env:YAHOO_SECRET", to: "client_secret: file:\(path)")
            let ofSecret = SettingsProblem(
                line: line, key: "providers.yahoo.com.client_secret",
                message: "the file \(path) is UTF-16: save it as UTF-8")
            #expect(throws: SettingsProblems([ofSecret])) { try Self.loader(insisting: false).parse(yaml: yaml) }
        }
    }

    @Test(
        "A configuration that its group or others can write is refused, unless allowed",
        arguments: [
            (0o620, "by its group"), (0o602, "by all other users"), (0o622, "by its group and by all other users"),
        ])
    func writableConfiguration(mode: Int, writers: String) throws {
        let path = try write(Array(Sample.yaml.utf8), mode: mode)
        let fact = "\(path) can be written \(writers): run chmod go-w \(path)"
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: nil, key: "", message: fact + ", or start with --allow-insecure-permissions")
            ])
        ) { try Self.loader(insisting: false).loadOffline(.file(path: path)) }
        #expect(
            try Self.loader(insisting: true).loadOffline(.file(path: path)).settings.warnings == [
                SettingsProblem(line: nil, key: "", message: fact)
            ])
        #expect(throws: Never.self) {
            try Self.loader(insisting: false).loadOffline(.file(path: self.write(Array(Sample.yaml.utf8), mode: 0o644)))
        }
    }

    /// A loader that reads the configuration from the disk, and the files that it names from ``Sample/files``.
    private static func loader(insisting: Bool) -> SettingsLoader {
        SettingsLoader(
            environment: Sample.environment, allowances: Settings.Allowances(insecurePermissions: insisting)
        ) { path throws(SettingsFileError) in
            guard let text = Sample.files[path] else { return try SettingsFile.onDisk(path) }
            return SettingsFile(bytes: Array(text.utf8))
        }
    }

    @Test("The mode of a configuration file with a plain-text secret is checked")
    func clearSecret() throws {
        let account = try write(Array("{}".utf8), mode: 0o600)
        let yaml = """
            server: {public_url: https://auth.example.com}
            firebase: {service_account: \(account)}
            clients: {my-app: {}}
            providers: {yahoo.com: {client_id: dj0yJmk9, client_secret: 5f4dcc3b5aa765d6}}
            """
        let loader = SettingsLoader(environment: [:])
        #expect(
            try loader.loadOffline(.file(path: write(Array(yaml.utf8), mode: 0o600))).settings.warnings.map(\.line) == [
                4
            ])
        do {
            _ = try loader.loadOffline(.file(path: write(Array(yaml.utf8), mode: 0o644)))
            Issue.record("nothing was refused")
        } catch let error as SettingsProblems {
            #expect(error.problems.map(\.key) == ["providers.yahoo.com.client_secret"])
        }
    }
}
