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
