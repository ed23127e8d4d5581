internal import Foundation
internal import JOSE

extension TimeSource {
    /// The machine's clock.
    ///
    /// Nothing below the command line reads it.
    static let system = TimeSource.precise { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
}
