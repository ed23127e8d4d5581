extension Template {
    static let approveDeviceText = #"""
        {{<layout}}
        {{$title}}{{>approveDeviceTitle}}{{/title}}
        {{$main}}
        {{>deviceIcon}}
        <h1>{{>approveDeviceHeading}}</h1>
        <p class="lead">{{>approveDeviceAccount}}</p>
        <p class="panel"><strong translate="no"><bdi>{{person}}</bdi></strong><br />{{>provider}}</p>
        <p class="caution">{{>approveDeviceCaution}}</p>
        <form method="post" action="/device">
        <input type="hidden" name="flow" value="{{flow}}" />
        <button class="primary" type="submit" name="decision" value="approve">{{>approve}}</button>
        <button class="secondary" type="submit" name="decision" value="deny">{{>refuse}}</button>
        </form>
        {{/main}}
        {{/layout}}
        """#
}
