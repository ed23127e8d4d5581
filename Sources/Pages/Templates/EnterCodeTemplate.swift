extension Template {
    static let enterCodeText = #"""
        {{<layout}}
        {{$title}}{{#hasProblem}}{{>error}}: {{/hasProblem}}{{>enterCodeHeading}}{{/title}}
        {{$main}}
        {{>deviceIcon}}
        <h1>{{>enterCodeHeading}}</h1>
        <p class="lead">{{>enterCodeLead}}</p>
        <form method="post" action="/device">
        <input type="hidden" name="flow" value="{{flow}}" />
        <label for="user_code">{{>codeLabel}}</label>
        <p id="hint" class="hint">{{>codeHint}}</p>
        {{#hasProblem}}
        <p id="problem" class="alert" role="alert">{{codeProblem}}</p>
        {{/hasProblem}}
        <input id="user_code" name="user_code" type="text" value="{{code}}" dir="ltr" translate="no"
        inputmode="text" autocomplete="one-time-code" autocapitalize="characters" autocorrect="off" spellcheck="false"
        {{#hasProblem}}
        aria-invalid="true" aria-describedby="problem hint" autofocus="autofocus" />
        {{/hasProblem}}
        {{^hasProblem}}
        aria-describedby="hint" />
        {{/hasProblem}}
        <button class="primary" type="submit">{{>continueWithCode}}</button>
        </form>
        {{/main}}
        {{/layout}}
        """#
}
