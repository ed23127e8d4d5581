extension Template {
    static let enterCodeText = #"""
        {{<layout}}
        {{$title}}{{#hasProblem}}{{>error}} {{/hasProblem}}{{>enterCodeHeading}}{{/title}}
        {{$main}}
        {{^logo}}
        {{>deviceIcon}}
        {{/logo}}
        <h1>{{>enterCodeHeading}}</h1>
        <p class="lead">{{>enterCodeLead}}</p>
        <form id="form" method="post" action="/device">
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

extension Template {
    static let confirmDeviceText = #"""
        {{<layout}}
        {{$title}}{{>confirmDeviceTitle}}{{/title}}
        {{$main}}
        {{^logo}}
        {{>deviceIcon}}
        {{/logo}}
        <h1 id="question">{{>confirmDeviceHeading}}</h1>
        <p class="lead">{{>confirmDeviceCode}}</p>
        <p class="panel code"><bdi dir="ltr" translate="no">{{userCode}}</bdi></p>
        <p id="consider" class="caution">{{>confirmDeviceCaution}}</p>
        <form id="form" method="post" action="/device">
        <input type="hidden" name="flow" value="{{flow}}" />
        {{>providers}}
        <button class="secondary" type="submit" name="decision" value="deny">{{>refuse}}</button>
        </form>
        {{/main}}
        {{/layout}}
        """#
}

extension Template {
    static let approveDeviceText = #"""
        {{<layout}}
        {{$title}}{{>approveDeviceTitle}}{{/title}}
        {{$main}}
        {{^logo}}
        {{>deviceIcon}}
        {{/logo}}
        <h1>{{>approveDeviceHeading}}</h1>
        <p class="lead">{{>approveDeviceAccount}}</p>
        <p class="panel"><strong translate="no"><bdi>{{person}}</bdi></strong><br />{{>provider}}</p>
        <p class="caution">{{>approveDeviceCaution}}</p>
        <form id="form" method="post" action="/device">
        <input type="hidden" name="flow" value="{{flow}}" />
        <button class="primary" type="submit" name="decision" value="approve">{{>approve}}</button>
        <button class="secondary" type="submit" name="decision" value="deny">{{>refuse}}</button>
        </form>
        {{/main}}
        {{/layout}}
        """#
}

extension Template {
    static let deviceApprovedText = #"""
        {{<layout}}
        {{$title}}{{>deviceApprovedHeading}}{{/title}}
        {{$main}}
        {{>doneIcon}}
        <h1>{{>deviceApprovedHeading}}</h1>
        <p class="lead">{{>deviceApprovedLead}}</p>
        {{/main}}
        {{/layout}}
        """#
}

extension Template {
    static let deviceRefusedText = #"""
        {{<layout}}
        {{$title}}{{>deviceRefusedHeading}}{{/title}}
        {{$main}}
        {{>refusedIcon}}
        <h1>{{>deviceRefusedHeading}}</h1>
        <p class="lead">{{>deviceRefusedLead}}</p>
        {{/main}}
        {{/layout}}
        """#
}
