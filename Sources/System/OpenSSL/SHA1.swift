/// FIPS 180-4 §6.1, for OAuth 1.0a alone: nothing of ours may rest on it.
package enum SHA1 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        FetchedDigest.sha1.hash(bytes)
    }
}
