/// The Mustache templates by name.
///
/// Values use only double braces, which escape; those of responses are escaped before. A partial inside a line must not end with a line break.
enum Template {
    static let signIn = "page-sign-in"
    static let link = "page-link"
    static let reauthenticate = "page-reauthenticate"
    static let settleConflict = "page-settle-conflict"
    static let secondFactor = "page-second-factor"
    static let enterCode = "page-enter-code"
    static let confirmDevice = "page-confirm-device"
    static let approveDevice = "page-approve-device"
    static let deviceApproved = "page-device-approved"
    static let deviceRefused = "page-device-refused"
    static let formPost = "page-form-post"
    static let webMessage = "page-web-message"
    static let home = "page-home"
    static let problem = "page-problem"

    static let all = [
        signIn: signInText, link: linkText, reauthenticate: reauthenticateText,
        settleConflict: settleConflictText, secondFactor: secondFactorText, enterCode: enterCodeText,
        confirmDevice: confirmDeviceText,
        approveDevice: approveDeviceText, deviceApproved: deviceApprovedText,
        deviceRefused: deviceRefusedText, formPost: formPostText, webMessage: webMessageText, home: homeText,
        problem: problemText,
        "formPostScript": ResponseScripts.formPost, "webMessageScript": ResponseScripts.webMessage,
        "layout": layoutText, "style": PageStyle.text, "providers": providersText, "languageSwitch": languageSwitchText,
        "companyLinks": companyLinksText,
    ].merging(names, uniquingKeysWith: { $1 }).merging(icons, uniquingKeysWith: { $1 })
}

extension Template {
    /// The frame of every page.
    ///
    /// Browsers request `/favicon.ico` for a page without an icon only if its policy allows images, which is that of a page with a
    /// logo.
    static let layoutText = #"""
        <!DOCTYPE html>
        <html lang="{{language}}" dir="{{direction}}">
        <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{{$title}}{{/title}}</title>
        {{#logo}}
        <link rel="icon" href="{{logo}}" />
        {{/logo}}
        <style>{{>style}}</style>
        {{#accentStyle}}
        <style>{{accentStyle}}</style>
        {{/accentStyle}}
        </head>
        <body>
        <main>
        {{#logo}}
        <img class="logo" src="{{logo}}" alt="{{logoName}}" />
        {{/logo}}
        {{$main}}
        {{/main}}
        </main>
        {{#hasFooter}}
        <footer>
        {{#hasLinks}}
        {{>companyLinks}}
        {{/hasLinks}}
        {{#switchesLanguage}}
        {{>languageSwitch}}
        {{/switchesLanguage}}
        {{$note}}
        {{/note}}
        </footer>
        {{/hasFooter}}
        </body>
        </html>

        """#

    /// Links to pages of the company, which open beside the page, so that its form is not lost.
    static let companyLinksText = #"""
        <p class="links">
        {{#privacyURL}}
        <a href="{{privacyURL}}" target="_blank" rel="noopener noreferrer">{{>privacyLink}}</a>
        {{/privacyURL}}
        {{#termsURL}}
        <a href="{{termsURL}}" target="_blank" rel="noopener noreferrer">{{>termsLink}}</a>
        {{/termsURL}}
        {{#supportURL}}
        <a href="{{supportURL}}" target="_blank" rel="noopener noreferrer">{{>supportLink}}</a>
        {{/supportURL}}
        </p>
        """#

    /// The switch for the language, which sends the form of the page and so keeps the flow.
    ///
    /// It is outside the form and behind it: Enter in a field presses the first button of the form.
    static let languageSwitchText = #"""
        <details class="languages">
        <summary><span>{{>languageLabel}}</span> <bdi>{{languageName}}</bdi></summary>
        <div>
        {{#languages}}
        <button type="submit" form="form" name="language" value="{{tag}}" lang="{{tag}}"
        dir="{{direction}}">{{name}}</button>
        {{/languages}}
        </div>
        </details>
        """#
}

extension Template {
    static let homeText = #"""
        {{<layout}}
        {{$title}}{{>homeHeading}}{{/title}}
        {{$main}}
        {{^logo}}
        {{>personIcon}}
        {{/logo}}
        <h1>{{>homeHeading}}</h1>
        <p class="lead">{{>homeLead}}</p>
        {{/main}}
        {{/layout}}
        """#

    static let problemText = #"""
        {{<layout}}
        {{$title}}{{>error}} {{heading}}{{/title}}
        {{$main}}
        {{>problemIcon}}
        <h1>{{heading}}</h1>
        {{#hasMessage}}
        <p class="panel"><bdi>{{message}}</bdi></p>
        {{/hasMessage}}
        <p class="lead">{{advice}}</p>
        {{#wayBack}}
        <p><a class="button primary" href="{{wayBack}}"><span>{{>backToApplication}}</span></a></p>
        {{/wayBack}}
        {{#concernsDevice}}
        <p><a class="button secondary" href="/device">{{>enterCodeLink}}</a></p>
        {{/concernsDevice}}
        {{/main}}
        {{$note}}
        <p>{{>requestNote}}</p>
        {{/note}}
        {{/layout}}
        """#
}

extension Template {
    /// Partials for external names.
    ///
    /// `bdi` isolates the direction of the name from the text around it, and `translate="no"` prevents translation by
    /// the browser.
    static let names = [
        "application": #"<strong translate="no"><bdi>{{application}}</bdi></strong>"#,
        // A title cannot contain elements; U+2068 and U+2069 isolate the direction instead.
        "applicationInTitle": "\u{2068}{{application}}\u{2069}",
        "provider": #"<bdi translate="no">{{provider}}</bdi>"#,
        "newProvider": #"<bdi translate="no">{{newProvider}}</bdi>"#,
        "signInMethods": #"<strong><bdi>{{signInMethods}}</bdi></strong>"#,
        "accountProvider": #"<bdi translate="no">{{accountProvider}}</bdi>"#,
        "person": #"<bdi translate="no">{{person}}</bdi>"#,
        "uidEnd": #"<bdi dir="ltr" translate="no" class="fact">{{uidEnd}}</bdi>"#,
        "host": #"<bdi dir="ltr" translate="no" class="fact">{{host}}</bdi>"#,
        "scheme": #"<bdi dir="ltr" translate="no" class="fact">{{scheme}}</bdi>"#,
        "requestID": #"<bdi dir="ltr" translate="no" class="fact">{{requestID}}</bdi>"#,
    ]
}

extension Template {
    /// Decorative icons, which are hidden from screen readers.
    static let icons = [
        "personIcon": icon(#"<circle cx="12" cy="8" r="4" /><path d="M4 20.5a8 8 0 0 1 16 0" />"#),
        "deviceIcon": icon(#"<rect x="3" y="4" width="18" height="12.5" rx="2" /><path d="M8.5 20.5h7" />"#),
        "doneIcon": icon(#"<path d="M5 12.5l4.5 4.5L19 7.5" />"#, tone: "good"),
        "refusedIcon": icon(#"<path d="M6.5 6.5l11 11M17.5 6.5l-11 11" />"#, tone: "calm"),
        "problemIcon": icon(#"<path d="M12 4.5v9.5M12 19v.01" />"#, tone: "bad"),
        "chevron":
            #"<svg class="chevron" viewBox="0 0 24 24" aria-hidden="true"><path d="M9 5.5l6.5 6.5L9 18.5" /></svg>"#,
    ]

    private static func icon(_ drawing: String, tone: String = "plain") -> String {
        #"<svg class="mark \#(tone)" viewBox="0 0 24 24" aria-hidden="true">\#(drawing)</svg>"#
    }
}
