internal import ArgumentParser

extension Exit {
    /// For a use of the command line that only the configuration shows to be wrong.
    static let usage = ExitCode(64)
}
