/// FIPS 180-4 §6.2.
package enum SHA256 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        FetchedDigest.sha256.hash(bytes)
    }
}
