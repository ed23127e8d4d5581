internal import Foundation
internal import JOSE

extension TimeSource {
    /// The machine's clock.
    ///
    /// Nothing below the command line reads it.
    static let system = TimeSource { NumericDate(Int64(Date().timeIntervalSince1970.rounded(.down))) }
}
