/// Why a query or a form body cannot be read.
package enum ParametersError: Error, Equatable, Sendable {
    case malformed
    case repeated
}
