internal import OperatingSystem

/// One reading of one configuration: what it may look at, and all that it found wrong.
final class Reader {
    let loader: SettingsLoader
    let file: ConfigurationFile
    private(set) var problems: [SettingsProblem] = []
    private(set) var warnings: [SettingsProblem] = []
    private var namedFolders: Set<String> = []

    /// Judges the file itself before anything that stands in it.
    init(loader: SettingsLoader, file: ConfigurationFile) {
        self.loader = loader
        self.file = file
        if let objection = FileContent.configuration.objection(to: file.exposure) {
            judgePermissions("\(file.path) \(objection)", line: nil, key: "")
        }
        name(file.openFolders, line: nil, key: "")
    }

    /// Reports what is wrong with a file that others can use: a problem, or a warning if the operator accepts that.
    func judgePermissions(_ fact: String, line: Int?, key: String) {
        if loader.allowances.insecurePermissions {
            warn(line: line, key: key, fact)
        } else {
            refuse(line: line, key: key, "\(fact), or start with \(Settings.Allowances.insecurePermissionsFlag)")
        }
    }

    /// Warns of folders that other users may write, of each once.
    func name(_ openFolders: [String], line: Int?, key: String) {
        for folder in openFolders where namedFolders.insert(folder).inserted {
            warn(line: line, key: key, OpenFolders.warning(about: folder))
        }
    }

    func refuse(line: Int?, key: String, _ message: String) {
        problems.append(SettingsProblem(line: line, key: key, message: message))
    }

    func warn(line: Int?, key: String, _ message: String) {
        warnings.append(SettingsProblem(line: line, key: key, message: message))
    }
}
