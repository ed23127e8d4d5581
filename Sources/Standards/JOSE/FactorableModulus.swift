/// The fingerprint of RSA keys made by a faulty library (ROCA, CVE-2017-15361).
///
/// Its primes have the form k · M + (65537^a mod M), where M is the product of the first small primes; so modulo each of
/// them the modulus is a power of 65537. A good key has that property once in 2^27 or less.
///
/// - SeeAlso: Nemec, Sys, Svenda, Klinec, Matyas: The Return of Coppersmith's Attack, 2017, §2.1.
enum FactorableModulus {
    private static let primes = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    private static let powers = primes.map { prime in
        var powers: Set<Int> = []
        var power = 1
        while powers.insert(power).inserted { power = power * 65537 % prime }
        return powers
    }

    /// Takes the modulus big-endian.
    static func matches(_ modulus: [UInt8]) -> Bool {
        zip(primes, powers).allSatisfy { prime, powers in
            powers.contains(modulus.reduce(0) { ($0 << 8 | Int($1)) % prime })
        }
    }
}
