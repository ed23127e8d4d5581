import Fixtures
import OpenSSL
import Testing

@Suite("RSA signing pool")
struct RSASigningPoolTests {
    let message = Array("message".utf8)

    @Test("Concurrent tasks get the same signatures as from the key itself")
    func manyTasks() async throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let pool = try RSASigningPool(key: key, threadCount: 2, queueLimit: 1000, patience: .seconds(60))
        let signed = try await withThrowingTaskGroup(of: (UInt8, [UInt8]).self) { group in
            for number in 0..<200 as Range<UInt8> {
                group.addTask { (number, try await pool.signature(for: [number])) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(signed.count == 200)
        for (number, signature) in signed {
            #expect(key.publicKey.isValid(signature: signature, for: [number]))
        }
        #expect(try await pool.signature(for: message) == key.signature(for: message))
    }

    @Test("If more calls come than may wait, some are refused at once and the others are signed")
    func overload() async throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-4096"))
        let pool = try RSASigningPool(key: key, threadCount: 1, queueLimit: 1, patience: .seconds(60))
        let counts = await withTaskGroup(of: SigningError?.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    do throws(SigningError) {
                        _ = try await pool.signature(for: [1])
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: (signed: 0, overloaded: 0)) { counts, error in
                if error == nil { counts.signed += 1 }
                if error == .overloaded { counts.overloaded += 1 }
            }
        }
        #expect(counts.signed >= 1)
        #expect(counts.overloaded >= 1)
        #expect(counts.signed + counts.overloaded == 200)
        // The refusals end when the queue is empty again.
        #expect(!pool.isFull)
        #expect(try await pool.signature(for: message) == key.signature(for: message))
    }

    @Test("A call is refused if it would wait too long, estimated from recent signatures")
    func patience() async throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let pool = try RSASigningPool(key: key, threadCount: 1, queueLimit: 100, patience: .seconds(-1))
        #expect(!pool.isFull)
        // Before the first signature the pool has no measured duration.
        _ = try await pool.signature(for: message)
        #expect(pool.isFull)
        await #expect(throws: SigningError.overloaded) { try await pool.signature(for: message) }
    }

    @Test("Waiting calls end when their task is cancelled")
    func cancellation() async throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-4096"))
        let pool = try RSASigningPool(key: key, threadCount: 1, queueLimit: 100, patience: .seconds(60))
        var calls: [Task<[UInt8], any Error>] = []
        // A signature takes about a millisecond, so calls arrive faster than they finish.
        while !pool.isFull {
            calls.append(Task { try await pool.signature(for: [1]) })
            await Task.yield()
        }
        for call in calls { call.cancel() }
        var cancelled = 0
        for call in calls where await call.result.isCancellation { cancelled += 1 }
        #expect(cancelled > 50)
        #expect(!pool.isFull)
    }

    @Test("A call from a cancelled task does not wait")
    func cancelledBefore() async throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let pool = try RSASigningPool(key: key, threadCount: 1, queueLimit: 1, patience: .seconds(60))
        let call = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await pool.signature(for: [2])
        }
        await #expect(throws: SigningError.cancelled) { try await call.value }
    }

    @Test("A released pool finishes the waiting calls")
    func release() async throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let signed = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            do {
                let pool = try RSASigningPool(key: key, threadCount: 2, queueLimit: 100, patience: .seconds(60))
                for _ in 0..<50 { group.addTask { try await pool.signature(for: [1]) } }
            }
            return try await group.reduce(into: 0) { count, _ in count += 1 }
        }
        #expect(signed == 50)
    }
}

extension Result {
    fileprivate var isCancellation: Bool {
        guard case .failure(let error) = self else { return false }
        return (error as? SigningError) == .cancelled
    }
}
