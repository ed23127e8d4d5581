internal import ArgumentParser
internal import Foundation
internal import Jansson
internal import OperatingSystem
internal import Settings

/// The content of a file to import: accounts of this program, one per line, or Firebase users.
enum ImportFile {
    case accounts([(line: Int, json: JSON)])
    /// `firebase auth:export users.json`: one object with all users in a list. An answer of Identity Toolkit is a part of them if
    /// it names a further page.
    case firebaseUsers([JSON], isPart: Bool)

    /// Larger files would take too much memory.
    private static let maximumBytes = 1 << 30
    private static let maximumLineBytes = 1 << 20

    /// Reads a file and detects its format from its content.
    ///
    /// - Throws: Exit 1 if the file cannot be read, or has neither format.
    static func read(_ path: String) throws -> ImportFile {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            let problem = FileObstacle(of: path)?.sentence() ?? "cannot be read"
            throw Exit.because("\(PathText.of(path)) \(problem)", Exit.failure)
        }
        if SettingsFile.isUTF16(data.prefix(4)) {
            throw Exit.because("\(PathText.of(path)) \(SettingsFileError.wide.message)", Exit.failure)
        }
        if data.starts(with: [0x1F, 0x8B]) {
            throw Exit.because(
                "\(PathText.of(path)) is compressed: unpack it with gzip -dc, and import the result", Exit.failure)
        }
        let content = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first(where: { !$0.allSatisfy(isBlank) }) else {
            throw Exit.because(
                "\(PathText.of(path)) is empty, or has only blank lines. If the export that wrote it has failed, or a shell has emptied "
                    + "it, export again; if there is no account to import, write {\"users\": []} into it. Nothing was imported",
                Exit.failure)
        }
        if let json = try? JSON.parse(Array(first), maximumBytes: maximumLineBytes), json["users"] == nil {
            try refuseRecords(json, in: path)
            try refuseList(json, in: path)
            guard json["localId"] == nil || json["uid"] != nil else {
                let file = ShellWord.of(path)
                throw Exit.because(
                    "\(PathText.of(path)) has a Firebase user in each line, and firebase auth:export writes one object with all of them: "
                        + "make it with jq -s '{users: .}' \(file) > NEWFILE, and import NEWFILE. Nothing was imported",
                    Exit.failure)
            }
            return .accounts(try accounts(lines, in: path))
        }
        return try firebaseUsers(Array(content), in: path)
    }

    /// The names of all providers in the file, those in uids included.
    var providerNames: Set<String> {
        switch self {
        case .accounts(let entries):
            Set(entries.flatMap { $0.json["identities"]?.array ?? [] }.compactMap { $0["provider"]?.string })
        case .firebaseUsers(let users, _):
            linkedNames.union(users.compactMap { $0["localId"]?.string.flatMap(ExportedUser.nameAndSubject)?.name })
        }
    }

    /// The names of the providers to which Firebase has linked its users, as the file has them.
    var linkedNames: Set<String> {
        guard case .firebaseUsers(let users, _) = self else { return [] }
        return Set(
            users.flatMap { $0["providerUserInfo"]?.array ?? [] }.filter { $0["rawId"]?.string?.isEmpty == false }
                .compactMap { $0["providerId"]?.string })
    }

    /// Members of Firebase's users that accounts do not have.
    ///
    /// Without them a user would lose links and second factors, and would get an address that is not verified. The value
    /// `true` confirms the address.
    private static let userMembers = [
        "providerData", "providerUserInfo", "multiFactor", "mfaInfo", "emailVerified", "email_verified",
    ]

    private static func accounts(_ lines: [Data], in path: String) throws -> [(line: Int, json: JSON)] {
        var accounts: [(line: Int, json: JSON)] = []
        for (index, line) in lines.enumerated() where !line.allSatisfy(isBlank) {
            guard let json = try? JSON.parse(Array(line), maximumBytes: maximumLineBytes), json.object != nil else {
                // A line is a text of its own, whose first line is this one.
                let damage = JSONText.damage(of: Array(line), maximumBytes: maximumLineBytes) ?? "is not a JSON object"
                throw Exit.because(
                    "\(path): line \(index + 1) \(damage.replacing("(line 1, column", with: "(column")). Nothing was imported",
                    Exit.failure)
            }
            if let member = userMembers.first(where: { name in json[name].map { $0.bool != true } ?? false }) {
                throw Exit.because(
                    "\(path): line \(index + 1) has the member \(member), which accounts export does not write, and "
                        + "which would be ignored. If the file is the output of listUsers of the Admin SDK, run firebase "
                        + "auth:export users.json, and import its file. If you write the lines yourself, write uid, identities "
                        + "and, only if the provider has verified it, email. Nothing was imported", Exit.failure)
            }
            accounts.append((index + 1, json))
        }
        guard accounts.contains(where: { $0.json["uid"] ?? $0.json["created_at"] != nil }) else {
            throw Exit.because(
                "\(PathText.of(path)) has no account: no line has the member uid, as accounts export writes it, and \(noList)",
                Exit.failure)
        }
        return accounts
    }

    private static let noList =
        "no member users has a list, as firebase auth:export writes it. If the file is of another program, write one line for "
        + "each user, with uid and identities. Nothing was imported"

    /// Whether the first character is not that of a JSON object or list.
    private static func startsWithoutBrace(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isBlank($0) }.map { !"{[".utf8.contains($0) } ?? false
    }

    private static func firebaseUsers(_ bytes: [UInt8], in path: String) throws -> ImportFile {
        let json: JSON
        do throws(JSONError) {
            json = try JSON.parse(tolerantly: bytes, maximumBytes: maximumBytes)
        } catch {
            throw Exit.because(
                "\(path) is neither JSON Lines of accounts export nor the JSON of firebase auth:export: it "
                    + (JSONText.damage(of: bytes, maximumBytes: maximumBytes) ?? error.sentence)
                    + (startsWithoutBrace(bytes)
                        ? ". If it is CSV, run firebase auth:export users.json, which writes JSON"
                        : ""),
                Exit.failure)
        }
        try refuseRecords(json["users"] ?? json, in: path)
        try refuseList(json, in: path)
        guard let users = json["users"]?.array else {
            throw Exit.because("\(PathText.of(path)): \(noList)", Exit.failure)
        }
        return .firebaseUsers(users, isPart: json["nextPageToken"]?.string?.isEmpty == false)
    }

    /// Refuses a list of records with `uid` or `providerData`, as the Admin SDK returns them, with members of other names and
    /// forms than those of an export.
    ///
    /// - SeeAlso: <https://firebase.google.com/docs/reference/admin/node/firebase-admin.auth.userrecord>
    private static func refuseRecords(_ users: JSON, in path: String) throws {
        guard let users = users.array, let first = users.first else { return }
        let hasUID = first["localId"] == nil && first["uid"] != nil
        let hasLinks = users.contains { $0["providerData"] != nil && $0["providerUserInfo"] == nil }
        guard hasUID || hasLinks else { return }
        throw Exit.because(
            "\(path) has a list of users with \(hasUID ? "uid" : "providerData"). If it is the output of listUsers of the Admin "
                + "SDK, run firebase auth:export users.json, and import its file; if it is that of accounts export, write one "
                + "account in each line",
            Exit.failure)
    }

    /// Refuses a list of Firebase users that is not the member of an object.
    private static func refuseList(_ json: JSON, in path: String) throws {
        guard json.array?.first?["localId"] != nil else { return }
        throw Exit.because(
            "\(PathText.of(path)) is a list of Firebase users, and firebase auth:export writes one object with it: make it with "
                + "jq '{users: .}' \(ShellWord.of(path)) > NEWFILE, and import NEWFILE. Nothing was imported",
            Exit.failure)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
