import OAuth

enum Form {
    static func encoded(_ fields: [String: String]) -> String {
        Parameters(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).encoded
    }
}
