import Testing

@testable import OpenSSL

@Suite("Queue of the signing threads")
struct SigningQueueTests {
    /// The ids of the jobs that a thread takes if `waiting` jobs are queued.
    private func taken(of waiting: UInt64, sharedBy threadCount: Int) -> [UInt64]? {
        let queue = SigningQueue(limit: 100, patience: .seconds(5), threadCount: threadCount)
        for number in 0..<waiting {
            let job = SigningQueue.Job(id: number, message: []) { _ in }
            #expect(queue.append(job, unless: { false }) == nil)
        }
        return queue.next()?.map(\.id)
    }

    @Test("A thread takes one job if few wait, so that another thread gets the next")
    func few() {
        #expect(taken(of: 1, sharedBy: 1) == [0])
        #expect(taken(of: 3, sharedBy: 1) == [0])
        #expect(taken(of: 7, sharedBy: 2) == [0])
    }

    @Test("If many jobs wait, a thread takes the oldest ones, at most half of its share")
    func many() {
        #expect(taken(of: 4, sharedBy: 1) == [0, 1])
        #expect(taken(of: 12, sharedBy: 2) == [0, 1, 2])
    }

    @Test("A thread takes at most eight jobs, since their callers wait for all of them")
    func limit() {
        #expect(taken(of: 100, sharedBy: 1) == Array(0..<8))
    }

    @Test("A waiting job can be cancelled, and a job that a thread has taken cannot")
    func cancellation() {
        let queue = SigningQueue(limit: 100, patience: .seconds(5), threadCount: 1)
        for number in 0..<4 as Range<UInt64> {
            #expect(queue.append(SigningQueue.Job(id: number, message: []) { _ in }, unless: { false }) == nil)
        }
        #expect(queue.next()?.count == 2)
        #expect(queue.remove(1) == nil)
        #expect(queue.remove(2)?.id == 2)
    }

    @Test("The queue accepts as many jobs as can be signed in time, estimated from recent signatures")
    func patience() {
        let queue = SigningQueue(limit: 100, patience: .milliseconds(10), threadCount: 2)
        let job = SigningQueue.Job(id: 0, message: []) { _ in }
        queue.finished(1, after: .milliseconds(5))
        // Two threads need 10 milliseconds for four signatures.
        for _ in 0..<5 { #expect(queue.append(job, unless: { false }) == nil) }
        #expect(queue.append(job, unless: { false }) == .overloaded)
        // Eight signatures of one millisecond each. The average changes slowly, to 4.75.
        queue.finished(8, after: .milliseconds(8))
        #expect(queue.isFull)
        for _ in 0..<20 { queue.finished(8, after: .milliseconds(8)) }
        #expect(!queue.isFull)
    }

    @Test("A closed queue returns the waiting jobs, and then nothing to every thread")
    func closed() {
        let queue = SigningQueue(limit: 100, patience: .seconds(5), threadCount: 2)
        #expect(queue.append(SigningQueue.Job(id: 7, message: []) { _ in }, unless: { false }) == nil)
        queue.close()
        #expect(queue.next()?.map(\.id) == [7])
        #expect(queue.next() == nil)
        #expect(queue.next() == nil)
    }
}
