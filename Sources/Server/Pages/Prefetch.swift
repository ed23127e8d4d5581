internal import HTTPTypes
internal import Hummingbird

/// A request that a browser makes before anybody has pressed anything.
enum Prefetch {
    static func isOne(_ request: Request) -> Bool {
        ["Purpose", "Sec-Purpose"].contains { name in
            HTTPField.Name(name).flatMap { request.headers[$0] }?.contains("prefetch") ?? false
        }
    }
}
