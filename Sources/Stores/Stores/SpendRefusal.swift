/// Why a record was not added.
package enum SpendRefusal: Sendable, Equatable {
    case used
    case unwatched

    package func outcome(_ kind: SpentKind) -> SpendOutcome {
        switch self {
        case .used: .replayed(kind)
        case .unwatched: .unwatched(kind)
        }
    }
}
