/// Whether several accounts may have one verified address.
package enum EmailRule: Sendable, Equatable {
    case oneAccountEach
    case shared
}
