internal import Documents
internal import Providers
internal import Server
internal import SignIn
internal import Stores

/// What `/readyz` asks: the store answers, the key signs, every provider's keys are at hand or can be had.
enum ReadinessChecks {
    static func all(of deployment: Deployment) -> Readiness {
        Readiness {
            let corridor = deployment.corridor
            var checks: [(part: String, works: Readiness.Check)] = [
                ("store", { (try? await deployment.store.check()) != nil }),
                ("signer", { await corridor.canMint() }),
            ]
            for provider in corridor.providers.values {
                guard let openIDConnect = provider.openIDConnect else { continue }
                checks.append(
                    ("keys of \(provider.id)", { (try? await openIDConnect.keys.value()) != nil }))
            }
            return checks
        }
    }
}
