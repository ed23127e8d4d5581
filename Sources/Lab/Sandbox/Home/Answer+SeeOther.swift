extension Answer {
    /// 303 (RFC 9110 §15.4.4), after a POST or in place of a page.
    static func seeOther(_ location: String) -> Self {
        Self(
            303,
            header: [("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")])
    }
}
