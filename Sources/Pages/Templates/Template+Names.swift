extension Template {
    /// What comes from outside, set apart: `bdi` keeps its direction from its surroundings, `translate="no"` keeps a
    /// browser's translator away from it.
    static let names = [
        "application": #"<strong translate="no"><bdi>{{application}}</bdi></strong>"#,
        // A title holds no elements; U+2068 and U+2069 isolate instead.
        "applicationInTitle": "\u{2068}{{application}}\u{2069}",
        "provider": #"<bdi translate="no">{{provider}}</bdi>"#,
        "accountProvider": #"<bdi translate="no">{{accountProvider}}</bdi>"#,
        "person": #"<bdi translate="no">{{person}}</bdi>"#,
        "uidEnd": #"<bdi dir="ltr" translate="no" class="fact">{{uidEnd}}</bdi>"#,
        "host": #"<bdi dir="ltr" translate="no" class="fact">{{host}}</bdi>"#,
        "scheme": #"<bdi dir="ltr" translate="no" class="fact">{{scheme}}</bdi>"#,
        "requestID": #"<bdi dir="ltr" translate="no" class="fact">{{requestID}}</bdi>"#,
    ]
}
