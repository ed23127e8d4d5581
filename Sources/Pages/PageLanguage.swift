/// The languages that the pages speak, by their tags (BCP 47).
package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case hindi = "hi"
    case bengali = "bn"
    case persian = "fa"

    var direction: String {
        switch self {
        case .english, .hindi, .bengali: "ltr"
        case .persian: "rtl"
        }
    }
}
