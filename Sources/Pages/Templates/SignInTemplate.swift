extension Template {
    static let signInText = #"""
        {{<layout}}
        {{$title}}{{>signInTitle}}{{/title}}
        {{$main}}
        {{>personIcon}}
        <h1>{{$heading}}{{>signInHeading}}{{/heading}}</h1>
        <p id="question" class="lead">
        {{#several}}
        {{$choose}}{{>signInChoose}}{{/choose}}
        {{/several}}
        {{^several}}
        {{$withOne}}{{>signInWithOne}}{{/withOne}}
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

    static let linkText = #"""
        {{<page-sign-in}}
        {{$title}}{{>linkTitle}}{{/title}}
        {{$heading}}{{>linkHeading}}{{/heading}}
        {{$choose}}{{>linkChoose}}{{/choose}}
        {{$withOne}}{{>linkWithOne}}{{/withOne}}
        {{/page-sign-in}}
        """#

    static let reauthenticateText = #"""
        {{<page-sign-in}}
        {{$title}}{{>reauthenticateTitle}}{{/title}}
        {{$heading}}{{>reauthenticateHeading}}{{/heading}}
        {{/page-sign-in}}
        """#
}
