/// Why an order to the control listener was not carried out.
enum ControlError: Error, Equatable {
    case notJSON
    /// Also where a member that is required is absent.
    case invalid(member: String, expected: String)
    case unknownMember(String)
    /// The stand-in itself refused, in its own words.
    case refused(String)

    var sentence: String {
        switch self {
        case .notJSON: "The body is not a JSON object of type application/json."
        case .invalid(let member, let expected): "\(member): expected \(expected)."
        case .unknownMember(let name): "\(name): no such member here."
        case .refused(let reason): reason
        }
    }
}
