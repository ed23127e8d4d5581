internal import OperatingSystem

/// Collects the problems and warnings while one configuration is read.
final class Reader {
    let loader: SettingsLoader
    let file: ConfigurationFile
    /// What Secret Manager has answered so far; `nil` for a file that cannot refer to it.
    let cloudSecrets: [CloudSecretName: CloudSecretReading]?
    private(set) var problems: [SettingsProblem] = []
    /// The secrets of Secret Manager that have to be read, and the keys that have no value without them.
    private(set) var awaited: [CloudSecretName: [SettingsProblem]] = [:]
    private(set) var warnings: [SettingsProblem] = []
    private var namedFolders: Set<String> = []

    /// Checks the permissions of the file itself, before its content is read.
    init(
        loader: SettingsLoader, file: ConfigurationFile, cloudSecrets: [CloudSecretName: CloudSecretReading]? = nil
    ) {
        self.loader = loader
        self.file = file
        self.cloudSecrets = cloudSecrets
        if let objection = FileContent.configuration.objection(to: file.exposure, at: file.path) {
            judgePermissions("\(file.path) \(objection)", line: nil, key: "")
        }
        name(file.openFolders, line: nil, key: "")
    }

    /// Reports bad permissions of a file: as a problem, or as a warning if the operator accepts the risk.
    func judgePermissions(_ fact: String, line: Int?, key: String) {
        if loader.allowances.insecurePermissions {
            warn(line: line, key: key, fact)
        } else {
            refuse(line: line, key: key, "\(fact), or start with \(Settings.Allowances.insecurePermissionsFlag)")
        }
    }

    /// Warns of folders that other users can write, once for each folder.
    func name(_ openFolders: [String], line: Int?, key: String) {
        for folder in openFolders where namedFolders.insert(folder).inserted {
            warn(line: line, key: key, OpenFolders.warning(about: folder))
        }
    }

    func refuse(line: Int?, key: String, _ message: String) {
        problems.append(SettingsProblem(line: line, key: key, message: message))
    }

    /// Records that the value of a key is in Secret Manager.
    func await(_ name: CloudSecretName, line: Int?, key: String) {
        awaited[name, default: []].append(SettingsProblem(line: line, key: key, message: "\(name) was not read"))
    }

    /// Whether a problem of the key at a path, or of a part of its value, has been reported, or a part is not known yet.
    func hasProblem(at path: String) -> Bool {
        (problems + awaited.values.joined()).contains {
            $0.key == path || $0.key.hasPrefix(path + ".") || $0.key.hasPrefix(path + "[")
        }
    }

    func warn(line: Int?, key: String, _ message: String) {
        warnings.append(SettingsProblem(line: line, key: key, message: message))
    }
}

/// Suggests the word that was probably meant.
enum Spelling {
    private static let ofRedirect =
        "leave it out. That of a provider is always {server.public_url}/callback/ID, and those of an application are "
        + "clients.ID.redirect_uris"
    private static let ofOAuth2 =
        "a provider without OpenID Connect has it, with protocol: oauth2, endpoints and members in place of issuer"
    /// What to do with keys that operators write into sections which do not have them.
    private static let misplaced = [
        "redirect_uri": ofRedirect, "redirect_uris": ofRedirect,
        "issuer": "a provider with protocol: openid has it; with protocol: oauth2 the iss of redirects is "
            + "endpoints.issuer",
        "members": ofOAuth2, "scope_separator": ofOAuth2, "emails": ofOAuth2, "token_parameters": ofOAuth2,
        "ca": ofAuthority, "ca_file": ofAuthority, "cafile": ofAuthority, "ca_cert": ofAuthority, "cacert": ofAuthority,
        "ca_bundle": ofAuthority, "root_ca": ofAuthority, "trusted_ca": ofAuthority, "verify": ofAuthority,
        "verify_ssl": ofAuthority, "ssl_verify": ofAuthority, "verify_tls": ofAuthority, "tls_verify": ofAuthority,
        "insecure": ofAuthority, "insecure_skip_verify": ofAuthority, "skip_verify": ofAuthority,
        "reject_unauthorized": ofAuthority,
    ]
    private static let ofAuthority =
        "certificates are always verified, with the authorities of the system. If the authority is your own, copy its certificate in "
        + "PEM to /usr/local/share/ca-certificates/NAME.crt on this machine, run update-ca-certificates, and restart this "
        + "server. In a container, /etc/ssl/certs/ca-certificates.crt with that authority has to be part of the image, or a "
        + "mounted file. Leave this key out"

    /// Returns `did you mean x?`, or lists all known words.
    static func hint(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { "did you mean \($0)?" }
            ?? "use one of \(known.sorted().joined(separator: ", "))"
    }

    /// Returns what to do with a key that a section does not have.
    static func hint(forKey key: String, among known: [String], in section: String) -> String {
        let hint = hint(for: key, among: known)
        if nearest(to: key, among: known) != nil { return hint }
        // The listener verifies no client, and has the chain in the file of its certificate.
        if let place = misplaced[key], section != "server.tls" { return place }
        let top = section.prefix { $0 != "." }
        let below = paths(of: key, below: section, among: known)
        let places =
            below.isEmpty
            ? Settings.declaredKeys.filter {
                ($0 == key || $0.hasSuffix(".\(key)")) && (section.isEmpty || $0.prefix { $0 != "." } != top)
            } : below
        // A name with many places says little about the one that was meant.
        guard (1...3).contains(places.count) else { return hint }
        let names = places.map { $0.replacing("*", with: "ID") }.inWords
        return "\(hint). If it is meant as \(names), write it there"
    }

    /// The keys of this name in the sections below one, by their paths from it on.
    private static func paths(of key: String, below section: String, among known: [String]) -> [String] {
        let declared = Settings.declaredKeys
        let top = section.prefix { $0 != "." }
        let isFixed = declared.contains { $0.hasPrefix("\(section).") }
        let beginning = isFixed ? "\(section)." : "\(top).*."
        return declared.filter { $0.hasPrefix(beginning) && $0.hasSuffix(".\(key)") }
            .map { String($0.dropFirst(beginning.count)) }
            .filter { path in known.contains { path.hasPrefix("\($0).") } }
    }

    /// The known word with the smallest distance, or `nil` if even that distance is large for its length.
    static func nearest(to word: String, among known: [String]) -> String? {
        // Computing the distance takes quadratic time.
        guard word.utf8.count <= 64 else { return nil }
        let ranked = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { ($0.distance, $0.word) < ($1.distance, $1.word) }) else { return nil }
        return best.distance <= max(1, min(3, best.word.count / 3)) ? best.word : nil
    }

    /// The Levenshtein distance: insertions, deletions and substitutions.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (rows, columns) = (Array(one.unicodeScalars), Array(other.unicodeScalars))
        var above = Array(0...columns.count)
        for (row, letter) in rows.enumerated() {
            var here = [row + 1]
            for (column, opposite) in columns.enumerated() {
                let substituted = above[column] + (letter == opposite ? 0 : 1)
                here.append(min(substituted, above[column + 1] + 1, here[column] + 1))
            }
            above = here
        }
        return above[columns.count]
    }
}
