import Fixtures
import Stores
import Testing

@Suite("Conformance of the rules of addresses", .serialized)
struct AddressRuleConformance {
    @Test("Every rule holds, also for the rows of a tenant", arguments: Database.allCases)
    func rules(database: Database) async throws {
        for rule in AddressRule.all {
            for tenant in [nil, TenantName("tenant")] {
                try await database.withStore { store async throws in
                    do {
                        try await rule.check(.local(tenant.map { TenantRows(store, of: $0) } ?? store))
                    } catch let broken as Broken {
                        Issue.record("\(rule): \(broken)")
                    }
                }
            }
        }
    }
}
