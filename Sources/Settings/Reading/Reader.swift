/// One reading of one configuration: what it may look at, and all that it found wrong.
final class Reader {
    let loader: SettingsLoader
    let fileIsReadableByOthers: Bool
    private(set) var problems: [SettingsProblem] = []
    private(set) var warnings: [SettingsProblem] = []

    init(loader: SettingsLoader, fileIsReadableByOthers: Bool) {
        self.loader = loader
        self.fileIsReadableByOthers = fileIsReadableByOthers
    }

    func refuse(line: Int?, key: String, _ message: String) {
        problems.append(SettingsProblem(line: line, key: key, message: message))
    }

    func warn(line: Int?, key: String, _ message: String) {
        warnings.append(SettingsProblem(line: line, key: key, message: message))
    }
}
