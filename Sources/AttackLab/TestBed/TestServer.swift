/// A server that the test bed started.
package struct TestServer: Sendable {
    let name: String
    let wire: Wire
    let admin: Wire
    let log: LogFile
    /// What it was started with.
    let arguments: [String]
    /// Answers 200 once the server can be used.
    let readiness: (wire: Wire, path: String)
}
