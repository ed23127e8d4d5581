internal import Documents
internal import Firebase
package import Flows
package import JOSE
internal import Minting
internal import Providers
package import Stores

/// What `/readyz` asks: the store answers, the key signs, the keys of a provider are at hand or can be had.
package enum ReadinessChecks {
    package static func all(
        store: any StoreHealth & StoreWatch, flows: FlowSet, time: TimeSource
    ) -> [Readiness.Check] {
        [
            { await Self.store(store) },
            { await clock(time, store) },
            { await signer { () async throws(MintingError) in try await flows.checkSigner() } },
            {
                await alternatives(
                    flows.providers.values.map { provider in
                        (
                            name: provider.openIDConnect == nil ? "\(provider.id)" : "keys of \(provider.id)",
                            works: { await isUsable(provider) }
                        )
                    })
            },
        ]
    }

    static func store(_ store: any StoreHealth) async -> Readiness.Findings {
        do {
            try await store.check()
            return .none
        } catch .unavailable(.overloaded) {
            return .busy("store")
        } catch {
            return .failing("store")
        }
    }

    /// The clock is not behind what the store has recorded, and the store is set up as it should be.
    static func clock(_ time: TimeSource, _ store: any StoreWatch) async -> Readiness.Findings {
        do {
            guard try await !store.watchReading().isBehind(time.now()) else { return .failing("clock_behind") }
            return Readiness.Findings(warnings: try await store.warnings().map(\.rawValue))
        } catch {
            // The other check says so, under the store's name.
            return .none
        }
    }

    static func signer(
        _ check: () async throws(MintingError) -> Void
    ) async -> Readiness.Findings {
        do {
            try await check()
            return .none
        } catch .signing(.overloaded) {
            return .busy("signer")
        } catch {
            return .failing("signer")
        }
    }

    /// Parts of which one is enough: those that do not work are warnings, unless none of them works.
    ///
    /// A server whose other providers work has to stay ready: one provider must not take all the others down.
    static func alternatives(
        _ parts: [(name: String, works: @Sendable () async -> Bool)]
    ) async -> Readiness.Findings {
        await withTaskGroup(of: String?.self) { group in
            for part in parts {
                group.addTask { await part.works() ? nil : part.name }
            }
            var unusable: [String] = []
            for await name in group {
                if let name { unusable.append(name) }
            }
            return unusable.count < parts.count
                ? Readiness.Findings(warnings: unusable) : Readiness.Findings(failing: unusable)
        }
    }

    private static func isUsable(_ provider: Provider) async -> Bool {
        guard let openIDConnect = provider.openIDConnect else { return true }
        return (try? await openIDConnect.keys.value()) != nil
    }
}
