internal import ArgumentParser
internal import AttackLab
internal import CommandSupport

extension Exit {
    /// What the command line already knows stays; anything else becomes a sentence and 1.
    static func unlessAsked(_ error: any Error) -> any Error {
        if error is ExitCode || error is ValidationError { return error }
        return because("the attacks could not be carried out: \(error)", failure)
    }
}
