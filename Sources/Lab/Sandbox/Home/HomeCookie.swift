/// The cookie that ties a browser to the run that it began last.
enum HomeCookie {
    private static let name = "sandbox_run"

    static func setting(_ run: String) -> (name: String, value: String) {
        ("Set-Cookie", "\(name)=\(run); Path=/; HttpOnly; SameSite=Lax")
    }

    static func run(_ request: IncomingRequest) -> String? {
        request.cookie(name)
    }
}
