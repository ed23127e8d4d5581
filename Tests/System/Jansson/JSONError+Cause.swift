import Jansson

extension JSONError {
    /// The case without its place.
    var cause: String {
        switch self {
        case .tooLarge: "too_large"
        case .tooDeep: "too_deep"
        case .tooManyValues: "too_many_values"
        case .stringTooLong: "string_too_long"
        case .scalarTooLong: "scalar_too_long"
        case .duplicateMember: "duplicate_member"
        case .equivalentMembers: "equivalent_members"
        case .numberOutOfRange: "number_out_of_range"
        case .nulCharacter: "nul_character"
        case .invalidUTF8: "invalid_utf8"
        case .malformed: "malformed"
        }
    }
}
