/// Where this backend is reached, which is known once it listens.
actor Place {
    private(set) var origin = ""

    func open(_ origin: String) {
        self.origin = origin
    }
}
