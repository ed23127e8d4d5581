internal import Standards
internal import Transport

extension TransportError {
    /// What an operator does so that the calls arrive at the host that ``TransportError/sentence`` names.
    var remedy: String {
        advice
            ?? "If that host is right, try again later, and look at what is between it and this machine. Otherwise correct the URL "
            + "in the configuration."
    }
}

extension DocumentError {
    /// What an operator does, by ``TransportError/remedy`` if there is no answer.
    func remedy(otherwise remedy: String) -> String {
        if case .unreachable(let error) = self { error.remedy } else { remedy }
    }
}
