extension Template {
    /// The button is for browsers without scripts.
    ///
    /// Fields and addresses have three braces because they are escaped already (``ExactText``).
    static let formPostText = #"""
        {{<layout}}
        {{$title}}{{>returnHeading}}{{/title}}
        {{$main}}
        {{>personIcon}}
        <h1>{{>returnHeading}}</h1>
        <p class="lead">{{>formPostLead}}</p>
        <form id="response" method="post" action="{{{action}}}">
        {{#fields}}
        <input type="hidden" name="{{{name}}}" value="{{{value}}}" />
        {{/fields}}
        <button class="primary" type="submit">{{>continueWithCode}}</button>
        </form>
        <script>{{>formPostScript}}</script>
        {{/main}}
        {{/layout}}
        """#

    static let webMessageText = #"""
        {{<layout}}
        {{$title}}{{>returnHeading}}{{/title}}
        {{$main}}
        {{>personIcon}}
        <h1>{{>returnHeading}}</h1>
        <p id="delivered" class="lead" hidden="hidden">{{>webMessageDelivered}}</p>
        <p id="undelivered" class="lead">{{>webMessageUndelivered}}</p>
        <div id="response" data-origin="{{{origin}}}">
        {{#fields}}
        <input type="hidden" name="{{{name}}}" value="{{{value}}}" />
        {{/fields}}
        </div>
        <script>{{>webMessageScript}}</script>
        {{/main}}
        {{/layout}}
        """#
}
