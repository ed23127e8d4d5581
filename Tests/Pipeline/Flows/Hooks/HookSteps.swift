import Flows
import JOSE
import Jansson
import Minting
import Standards
import Support
import Synchronization
import Testing
import Transport

extension HookPoint {
    var url: String { "https://hooks.example/" + rawValue }
}

extension Deployment {
    /// A deployment with hooks that allow everything; a test changes the script of one.
    static func hooked(
        _ points: [HookPoint] = HookPoint.allCases, allowsOnFailure: Bool = false,
        _ change: (inout DeploymentPlan) -> Void = { _ in }
    ) throws -> Deployment {
        let deployment = try Deployment { plan in
            for point in points {
                plan.hooks[point] = Hook(
                    url: point.url, timeout: .milliseconds(1500), allowsOnFailure: allowsOnFailure)
            }
            change(&plan)
        }
        for point in points { deployment.script(point, "{}") }
        return deployment
    }

    func script(_ point: HookPoint, _ answer: String, status: Int = 200) {
        peer.script(.post, point.url, .json(answer, status: status))
    }

    /// The events of all questions so far.
    func events() throws -> [JSON] {
        try peer.requests.filter { $0.url.hasPrefix("https://hooks.example/") }.map { request in
            let token = try MintedToken(Secret(String(decoding: request.body, as: UTF8.self)))
            return try #require(token.payload["event"])
        }
    }

    /// The points of all questions so far.
    func points() throws -> [String] { try events().compactMap { $0["type"]?.string } }
}

extension SignInOutcome {
    /// The developer claims of the custom token.
    var claims: [String: JSON] {
        get throws { try MintedToken(token.secret).payload["claims"]?.object ?? [:] }
    }
}

/// The failures after which a call continued.
final class HookFailures: Sendable {
    private let kept = Mutex<[(HookPoint, HookFailure)]>([])

    var all: [HookFailure] { kept.withLock { $0.map(\.1) } }
    var points: [HookPoint] { kept.withLock { $0.map(\.0) } }

    func record(_ point: HookPoint, _ failure: HookFailure) {
        kept.withLock { $0.append((point, failure)) }
    }
}
