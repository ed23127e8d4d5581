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
