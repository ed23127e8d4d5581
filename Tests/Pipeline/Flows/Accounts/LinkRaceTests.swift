import Accounts
import Firebase
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing

@Suite("Linking at once")
struct LinkRaceTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("AN-07: An anonymous account that is linked twice at once has either identity, and each once")
    func upgradedTwice() async throws {
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let user = try await deployment.user(uid)
        let proofs = [
            try await deployment.proof(.xPair, of: user), try await deployment.proof(.xPair, of: user),
            try await deployment.proof(.yahooIDToken, of: user), try await deployment.proof(.yahooIDToken, of: user),
        ]
        let uids = try await withThrowingTaskGroup(of: UID.self) { group in
            for proof in proofs { group.addTask { try await deployment.flows.accounts.link(user, proof).account.uid } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(uids == [uid, uid, uid, uid])
        #expect(try await deployment.identities(of: uid).map(Set.init) == [Person.x, Person.yahoo])
        #expect(try await deployment.identities(of: uid)?.count == 2)
        #expect(try await deployment.store.account(uid: uid)?.isAnonymous == false)
    }

    @Test("LK-07: If twenty accounts link one identity concurrently, one succeeds and the others get a conflict")
    func race() async throws {
        var attempts: [(FirebaseUser, AccountProof)] = []
        for number in 0..<20 {
            let user = try await deployment.user("native-\(number)")
            attempts.append((user, try await deployment.proof(.xPair, of: user)))
        }
        let conflicts = await withTaskGroup(of: Bool.self) { [attempts] group in
            for (user, proof) in attempts {
                group.addTask {
                    do {
                        _ = try await deployment.flows.accounts.link(user, proof)
                        return false
                    } catch {
                        return Refusal(error).reason == .credentialAlreadyInUse
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(conflicts == 19)
        var holders = 0
        for number in 0..<20 where try await deployment.identities(of: "native-\(number)") == [Person.x] {
            holders += 1
        }
        #expect(holders == 1)
    }
}
