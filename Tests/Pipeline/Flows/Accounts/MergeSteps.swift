import Firebase
import Flows
import Standards
import Support
import Testing

extension Deployment {
    /// Yahoo's account and X's, which are one person's.
    func makeTwoAccounts() async throws {
        _ = try await signIn(.yahooIDToken)
        _ = try await signIn(.xPair)
    }

    /// Yahoo's account takes over the one of a bearer.
    func merge(_ bearer: Secret, signedIn seconds: Int64 = 100) async throws -> MergeOutcome {
        try await flows.accounts.merge(
            user(Person.yahooUID, signedIn: seconds),
            MergeRequest(client: DeploymentPlan.app, proof: .idToken(bearer)))
    }

    /// Both accounts are as they were.
    func expectTwoAccounts(_ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let (yahoo, x) = (try await identities(of: Person.yahooUID), try await identities(of: Person.xUID))
        #expect(yahoo == [Person.yahoo], sourceLocation: sourceLocation)
        #expect(x == [Person.x], sourceLocation: sourceLocation)
    }
}
