/// A server that the test bed started.
package struct TestServer: Sendable {
    let name: String
    /// The path of the program that runs.
    let executable: String
    let wire: Wire
    let admin: Wire
    let log: LogFile
    /// What it was started with.
    let arguments: [String]
    /// Answers 200 once the server can be used.
    let readiness: (wire: Wire, path: String)
}
