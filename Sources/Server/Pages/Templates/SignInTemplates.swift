extension Template {
    static let signInText = #"""
        {{<layout}}
        {{$title}}{{>signInTitle}}{{/title}}
        {{$main}}
        {{^logo}}
        {{>personIcon}}
        {{/logo}}
        <h1>{{$heading}}{{>signInHeading}}{{/heading}}</h1>
        <p id="question" class="lead">
        {{#several}}
        {{$choose}}{{>signInChoose}}{{/choose}}
        {{/several}}
        {{^several}}
        {{$withOne}}{{>signInWithOne}}{{/withOne}}
        {{/several}}
        </p>
        {{#account}}
        <p>{{$accountLead}}{{/accountLead}}</p>
        <p id="account" class="panel"><strong>
        {{#person}}
        {{>person}}
        {{/person}}
        {{#guest}}
        {{>guestAccount}}
        {{/guest}}
        {{#unnamed}}
        {{>unnamedAccount}}
        {{/unnamed}}
        </strong>
        {{#hasProvider}}
        <br />{{>accountProvider}}
        {{/hasProvider}}
        </p>
        <p class="caution">{{>accountCaution}}</p>
        {{/account}}
        {{^account}}
        {{#anyoneCanClaim}}
        <p class="caution">{{>signInCaution}}</p>
        {{/anyoneCanClaim}}
        {{/account}}
        <form id="form" method="post" action="/authorize">
        <input type="hidden" name="flow" value="{{flow}}" />
        {{>providers}}
        <button class="quiet" type="submit" name="provider" value="">{{>cancel}}</button>
        </form>
        <p id="consider" class="note">
        {{#website}}
        {{>destinationWebsite}}
        {{/website}}
        {{#app}}
        {{>destinationApplication}}
        {{/app}}
        {{#thisDevice}}
        {{>destinationThisDevice}}
        {{/thisDevice}}
        </p>
        {{/main}}
        {{/layout}}
        """#

    static let linkText = #"""
        {{<page-sign-in}}
        {{$title}}{{>linkTitle}}{{/title}}
        {{$heading}}{{>linkHeading}}{{/heading}}
        {{$choose}}{{>linkChoose}}{{/choose}}
        {{$withOne}}{{>linkWithOne}}{{/withOne}}
        {{$accountLead}}{{>linkAccount}}{{/accountLead}}
        {{/page-sign-in}}
        """#

    static let reauthenticateText = #"""
        {{<page-sign-in}}
        {{$title}}{{>reauthenticateTitle}}{{/title}}
        {{$heading}}{{>reauthenticateHeading}}{{/heading}}
        {{$accountLead}}{{>reauthenticateAccount}}{{/accountLead}}
        {{/page-sign-in}}
        """#
}

extension Template {
    static let settleConflictText = #"""
        {{<layout}}
        {{$title}}{{>conflictTitle}}{{/title}}
        {{$main}}
        {{>personIcon}}
        <h1>{{>conflictHeading}}</h1>
        {{#isRepeated}}
        <p class="caution" role="alert">{{>conflictOtherAccount}}</p>
        {{/isRepeated}}
        {{#hasSignInMethods}}
        <p class="lead">{{>conflictBefore}}</p>
        {{/hasSignInMethods}}
        {{#hasPerson}}
        <p>{{>conflictAddress}}</p>
        <p class="panel"><strong>{{>person}}</strong></p>
        {{/hasPerson}}
        {{#canSettle}}
        <p id="question">{{>conflictChoose}}</p>
        {{/canSettle}}
        {{^canSettle}}
        {{#isFull}}
        <p>{{>conflictSameProvider}}</p>
        {{/isFull}}
        {{^isFull}}
        <p>{{>conflictElsewhere}}</p>
        {{/isFull}}
        {{/canSettle}}
        <form id="form" method="post" action="/authorize">
        <input type="hidden" name="flow" value="{{flow}}" />
        {{#canSettle}}
        {{>providers}}
        {{/canSettle}}
        {{^canSettle}}
        <button class="primary" type="submit" name="decision" value="continue" aria-describedby="consider">
        <span>{{>continueInApplication}}</span>
        </button>
        {{/canSettle}}
        <button class="quiet" type="submit" name="provider" value="">{{>cancel}}</button>
        </form>
        <p id="consider" class="note">
        {{#canSettle}}
        {{>accountCaution}}
        {{/canSettle}}
        {{^canSettle}}
        {{>conflictTold}}
        {{/canSettle}}
        </p>
        {{/main}}
        {{/layout}}
        """#
}

extension Template {
    static let secondFactorText = #"""
        {{<layout}}
        {{$title}}{{#hasProblem}}{{>error}} {{/hasProblem}}{{>factorHeading}}{{/title}}
        {{$main}}
        {{^logo}}
        {{>personIcon}}
        {{/logo}}
        <h1>{{>factorHeading}}</h1>
        <p class="lead">{{>factorLead}}</p>
        <form id="form" method="post" action="/authorize">
        <input type="hidden" name="flow" value="{{flow}}" />
        <label for="code">{{>codeLabel}}</label>
        <p id="hint" class="hint">{{>factorHint}}</p>
        {{#hasProblem}}
        <p id="problem" class="alert" role="alert">{{>factorInvalid}}</p>
        {{/hasProblem}}
        <input id="code" name="code" type="text" dir="ltr" translate="no" inputmode="text"
        autocomplete="one-time-code" autocapitalize="characters" autocorrect="off" spellcheck="false"
        {{#hasProblem}}
        aria-invalid="true" aria-describedby="problem hint" autofocus="autofocus" />
        {{/hasProblem}}
        {{^hasProblem}}
        aria-describedby="hint" autofocus="autofocus" />
        {{/hasProblem}}
        <button class="primary" type="submit" name="decision" value="prove">{{>continueWithCode}}</button>
        <button class="quiet" type="submit" name="decision" value="cancel">{{>cancel}}</button>
        </form>
        {{/main}}
        {{/layout}}
        """#
}

extension Template {
    /// One button for each provider: several have the same look, and the only one is the primary button.
    ///
    /// The surrounding page contains an element `question`, which labels the group, and an element `consider`, which
    /// describes it.
    static let providersText = #"""
        <div class="choices" role="group" aria-labelledby="question" aria-describedby="consider">
        {{#providers}}
        {{#several}}
        <button class="choice" type="submit" name="provider" value="{{id}}">
        <span>{{>continueWith}}</span>{{>chevron}}
        </button>
        {{/several}}
        {{^several}}
        <button class="primary" type="submit" name="provider" value="{{id}}">
        <span>{{>continueWith}}</span>
        </button>
        {{/several}}
        {{/providers}}
        </div>
        """#
}
