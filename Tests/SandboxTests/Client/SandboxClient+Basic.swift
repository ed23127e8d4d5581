import FoundationEssentials

extension SandboxClient {
    static func basic(_ id: String, _ secret: String) -> String {
        "Authorization: Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
    }
}
