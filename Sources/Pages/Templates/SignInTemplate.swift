extension Template {
    static let signInText = #"""
        {{<layout}}
        {{$title}}{{>signInTitle}}{{/title}}
        {{$main}}
        {{>personIcon}}
        <h1>{{>signInHeading}}</h1>
        <p id="question" class="lead">
        {{#several}}
        {{>signInChoose}}
        {{/several}}
        {{^several}}
        {{>signInWithOne}}
        {{/several}}
        </p>
        {{#anyoneCanClaim}}
        <p class="caution">{{>signInCaution}}</p>
        {{/anyoneCanClaim}}
        <form method="post" action="/authorize">
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
}
