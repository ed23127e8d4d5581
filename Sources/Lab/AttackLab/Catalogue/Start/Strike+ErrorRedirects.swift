extension Strike {
    /// What is to end at the application, with an error and its own state, and without a code.
    ///
    /// - `errors`: any where empty.
    @discardableResult func fire(
        _ request: Request, tellingApplication errors: Set<String>, state: String, redirectURI: String? = nil,
        at wire: Wire? = nil
    ) async -> Reply {
        let reply = await fire(request, expecting: .status(303), at: wire)
        guard let answer = reply.answer, answer.status == 303 else { return reply }
        let registered = redirectURI ?? lab.application.redirectURI
        await expect(
            answer.field("location")?.hasPrefix(registered + "?") == true, .wrongAnswer,
            "The redirect leads elsewhere than to the application.")
        await expect(
            answer.redirected("state") == state, .wrongAnswer, "The application's state is missing or another one.")
        let error = answer.redirected("error")
        await expect(
            error.map { errors.isEmpty || errors.contains($0) } ?? false, .wrongAnswer,
            "Expected an error redirect with \(errors.sorted().joined(separator: " or ")), and got \(error ?? "none").")
        return reply
    }

    /// `GET /authorize` with one parameter replaced, added or taken away, which the application is told of.
    func fire(changed name: String, to value: String?, telling errors: Set<String>) async {
        let request = authorize(verifier: Self.plainVerifier, state: "state-of-mine") { parameters in
            parameters.removeAll { $0.0 == name }
            if let value { parameters.append((name, value)) }
        }
        await fire(request, tellingApplication: errors, state: "state-of-mine")
    }

    /// The parameters that a started flow gives to the provider.
    func leavingParameters(_ answer: Answer) -> [(name: String, value: String)] {
        let location = answer.field("location") ?? ""
        return PercentEncoding.parameters(location.drop { $0 != "?" }.dropFirst())
    }
}
