extension Template {
    static let confirmDeviceText = #"""
        {{<layout}}
        {{$title}}{{>confirmDeviceTitle}}{{/title}}
        {{$main}}
        {{>deviceIcon}}
        <h1 id="question">{{>confirmDeviceHeading}}</h1>
        <p class="lead">{{>confirmDeviceCode}}</p>
        <p class="panel code"><bdi dir="ltr" translate="no">{{userCode}}</bdi></p>
        <p id="consider" class="caution">{{>confirmDeviceCaution}}</p>
        <form method="post" action="/device">
        <input type="hidden" name="flow" value="{{flow}}" />
        {{>providers}}
        <button class="secondary" type="submit" name="decision" value="deny">{{>refuse}}</button>
        </form>
        {{/main}}
        {{/layout}}
        """#
}
