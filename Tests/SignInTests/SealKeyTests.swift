import OAuth
import Sealing
import SignIn
import Support
import Testing

@Suite("Seal keys")
struct SealKeyTests {
    private static let old = [UInt8](repeating: 1, count: 32)
    private static let new = [UInt8](repeating: 2, count: 32)

    /// Whether a flow and a nonce of the one deployment are good in the other.
    private func opens(sealedUnder sealing: [[UInt8]], openedUnder opening: [[UInt8]]) async throws -> Bool {
        let before = try Deployment { $0.sealKeys = sealing }
        let after = try Deployment { $0.sealKeys = opening }
        let flow = try await Way.xOAuth2Callback.begin(in: before)
        let nonce = try before.corridor.issueNonce(client: DeploymentPlan.app, provider: X.id)
        after.scriptX()
        let byFlow = try? await after.finish(flow, flow.callback(code: "c"), of: X.id)
        let byNonce = try? await after.exchange(.oauth1Token(X.pair, nonce: nonce.verifier), of: X.id)
        #expect((byFlow == nil) == (byNonce == nil))
        return byFlow != nil
    }

    @Test("What was sealed before a restart opens after it")
    func restart() async throws {
        #expect(try await opens(sealedUnder: [Self.old], openedUnder: [Self.old]))
    }

    @Test("What was sealed under the old key opens while that key is still there")
    func rotation() async throws {
        #expect(try await opens(sealedUnder: [Self.old], openedUnder: [Self.new, Self.old]))
    }

    @Test("The first key seals")
    func firstSeals() async throws {
        #expect(try await opens(sealedUnder: [Self.new, Self.old], openedUnder: [Self.new]))
        #expect(try await !opens(sealedUnder: [Self.new, Self.old], openedUnder: [Self.old]))
    }

    @Test("Under another key nothing opens")
    func otherKey() async throws {
        #expect(try await !opens(sealedUnder: [Self.old], openedUnder: [Self.new]))
    }

    @Test("A key has 32 octets", arguments: [(0, false), (31, false), (32, true), (33, false)])
    func length(_ count: Int, _ isKey: Bool) {
        #expect((SealKey([UInt8](repeating: 3, count: count)) != nil) == isKey)
    }

    @Test("A key shows itself in no text")
    func elided() throws {
        let key = try #require(SealKey([UInt8](repeating: 211, count: 32)))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped, "\([key])", "\(Mirror(reflecting: key).children)"] {
            #expect(!text.contains("211"))
        }
        #expect("\(key)" == "[secret elided]")
    }
}
