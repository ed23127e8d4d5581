package import OAuth

/// Which account the caller's takes over, and what proves that it is theirs as well.
package struct MergeRequest: Sendable {
    package enum Proof: Sendable {
        case idToken(Secret)
        /// Of the conflict that linking ended in.
        case pendingCredential(Secret)
    }

    package let client: ClientID
    package let proof: Proof

    package init(client: ClientID, proof: Proof) {
        self.client = client
        self.proof = proof
    }
}
