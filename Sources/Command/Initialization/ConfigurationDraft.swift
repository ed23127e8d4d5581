internal import Foundation
internal import Jansson
internal import Settings
internal import Standards

/// A configuration of which some answers may still be missing, and the files that it will name.
struct ConfigurationDraft {
    /// A value of a provider's section.
    struct ProviderValue {
        /// The names below the section, such as `client_secret`, `apple` and `key`.
        let path: [String]
        let text: String
    }

    /// The absolute path of the configuration.
    let path: String
    let application: String
    let store: String
    var publicURL: String?
    var redirectURIs: [String] = []
    var serviceAccount: String?
    /// The providers in the order of the answers.
    var providers: [Settings.Providers.Template] = []
    /// The values of each provider, by its id.
    var values: [String: [ProviderValue]] = [:]
    /// The files with the sealing keys, in the order of the lists; a key beside an existing database is not named.
    var keyFiles: [(list: MissingKey.List, path: String)] = []
    /// The contents of the files that do not exist yet, by their paths.
    var newFiles: [String: String] = [:]

    var folder: String { (path as NSString).deletingLastPathComponent }

    /// Every file that the server will read.
    var files: [String] {
        let references = values.values.joined().map(\.text) + [serviceAccount ?? ""]
        let named = references.map { $0.hasPrefix("file:") ? String($0.dropFirst("file:".count)) : $0 }
        return [path] + keyFiles.map(\.path) + named.filter { $0.hasPrefix("/") }
    }

    /// The URL to which a provider sends the browser.
    func callback(of provider: Settings.Providers.Template) -> String {
        "\(publicURL ?? "")/callback/\(provider.id.text)"
    }

    /// Sets a value of a provider, in place of an earlier answer.
    mutating func set(
        _ field: Settings.Providers.Template.Field, of provider: Settings.Providers.Template, to text: String
    ) {
        values[provider.id.text, default: []].removeAll { $0.path == field.path }
        values[provider.id.text, default: []].append(ProviderValue(path: field.path, text: text))
    }
}

extension ConfigurationDraft {
    /// Reads the draft as `config check` reads a file, without the secrets of Secret Manager.
    ///
    /// - Throws: `SettingsProblems`, also for the keys of the answers that are still missing.
    func read() throws(SettingsProblems) -> Settings {
        let loader = SettingsLoader(environment: ProcessInfo.processInfo.environment) {
            [yaml, path, newFiles] file throws(SettingsFileError) in
            guard let text = file == path ? yaml : newFiles[file] else { return try SettingsFile.onDisk(file) }
            return SettingsFile(bytes: Array(text.utf8))
        }
        return try loader.loadOffline(.file(path: path)).settings
    }

    /// What `config check` says about a key, about the keys below it, and about the file as a whole; nothing if all is
    /// accepted.
    func problems(at key: String) -> [String] {
        do throws(SettingsProblems) {
            _ = try read()
            return []
        } catch {
            return error.problems.filter { problem in
                ["", key].contains(problem.key) || [".", "["].contains { problem.key.hasPrefix(key + $0) }
            }.map { SettingsProblem(line: nil, key: $0.key, message: $0.message).description }
        }
    }
}

extension ConfigurationDraft {
    /// The text of the file, without the keys that have no answer yet.
    var yaml: String {
        let firebase = serviceAccount.map { ["service_account: \(quoted($0))"] } ?? []
        let keys = keyFiles.map { "\($0.list.rawValue): [\(quoted("file:\($0.path)"))]" }
        let uris = redirectURIs.map(quoted).joined(separator: ", ")
        let sections: [[String]] = [
            section("server", server), section("firebase", firebase), keys, ["store: \(quoted(store))"],
            section("clients", ["\(quoted(application)):", "  redirect_uris: [\(uris)]"]),
            section("providers", providers.flatMap(lines)),
        ]
        return """
            # Written by token-exchange init. config/token-exchange.yaml has every other key, with its default and a comment.

            """ + sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined()
    }

    private func section(_ name: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["\(name):"] + lines.map { "  \($0)" }
    }

    /// The lines of the public URL and, if it is on loopback without TLS, of a listener at its address.
    private var server: [String] {
        guard let publicURL else { return [] }
        let line = "public_url: \(quoted(publicURL))"
        guard publicURL.hasPrefix("http://") else { return [line] }
        let address = String(publicURL.dropFirst("http://".count))
        return [line, "listen: \(quoted(address.contains(/:[0-9]+$/) ? address : "\(address):80"))"]
    }

    private func lines(_ provider: Settings.Providers.Template) -> [String] {
        var open: [String] = []
        var lines = ["\(provider.id.text):"]
        for value in values[provider.id.text] ?? [] {
            let common = zip(open, value.path).prefix { $0 == $1 }.count
            for depth in common..<value.path.count {
                let isLast = depth == value.path.count - 1
                let indentation = String(repeating: "  ", count: depth + 1)
                lines.append("\(indentation)\(value.path[depth]):\(isLast ? " \(quoted(value.text))" : "")")
            }
            open = Array(value.path.dropLast())
        }
        return lines
    }

    /// A text of JSON, which is one of YAML too.
    private func quoted(_ text: String) -> String { String(decoding: JSON.string(text).serialized(), as: UTF8.self) }
}
