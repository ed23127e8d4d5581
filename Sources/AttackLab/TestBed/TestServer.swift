/// A server that the test bed started.
package struct TestServer: Sendable {
    let name: String
    let wire: Wire
    let admin: Wire
    let log: LogFile
    /// The file that it was configured with.
    let configuration: String
}
