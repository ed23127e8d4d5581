// A sign-in for a game: in the browser of a desktop, or with a code on another device. README.md says how to start it.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using UnityEngine;
using UnityEngine.Networking;

public class SignIn : MonoBehaviour
{
    // The client has `redeem: true`, so that a session of Firebase comes in place of a custom token.
    const string Server = "http://127.0.0.1:8080", Client = "without-sdk";

    string message = "Signed out.", uid, idToken, pendingCredential;
    bool isBusy;

    [Serializable]
    class Answer
    {
        public string request_uri, device_code, user_code, verification_uri, uid, access_token, firebase_id_token;
        public string error, error_description, reason, code, pending_credential, existing_uid;
        public int interval;
    }

    [Serializable]
    class Credential { public string type = "handoff", code, redirect_uri, code_verifier; }

    [Serializable]
    class LinkRequest { public string client_id = Client; public Credential credential; }

    [Serializable]
    class MergeRequest { public string client_id = Client, pending_credential; }

    void OnGUI()
    {
        GUILayout.Label(message);
        GUI.enabled = !isBusy;
        if (uid == null)
        {
            if (GUILayout.Button("Sign in with Yahoo")) Begin(Browse(null, "yahoo.com"));
            if (GUILayout.Button("Sign in with X")) Begin(Browse(null, "twitter.com"));
            if (GUILayout.Button("Sign in on another device")) Begin(Device());
        }
        else if (pendingCredential != null)
        {
            if (GUILayout.Button("Move it here, and delete that account")) Begin(Merge());
            if (GUILayout.Button("Cancel")) Enter(uid, idToken);
        }
        else
        {
            if (GUILayout.Button("Link Yahoo")) Begin(Browse("link", "yahoo.com"));
            if (GUILayout.Button("Link X")) Begin(Browse("link", "twitter.com"));
            if (GUILayout.Button("Sign out")) Leave("Signed out.");
        }
    }

    void Begin(IEnumerator work) => StartCoroutine(Run(work));

    IEnumerator Run(IEnumerator work)
    {
        isBusy = true;
        yield return work;
        isBusy = false;
    }

    void Enter(string newUid, string newToken)
    {
        (uid, idToken, pendingCredential) = (newUid, newToken, null);
        message = $"Signed in as {uid}.";
    }

    void Leave(string why)
    {
        (uid, idToken, pendingCredential) = (null, null, null);
        message = why;
    }

    // The browser is redirected to a port of this machine (RFC 8252 §7.3). The pages ask for a second factor.
    IEnumerator Browse(string intent, string provider)
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        try
        {
            string redirect = $"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/callback";
            string state = Secret(), verifier = Secret();
            var fields = new Dictionary<string, string>
            {
                ["response_type"] = "code", ["client_id"] = Client, ["redirect_uri"] = redirect, ["state"] = state,
                ["code_challenge"] = Challenge(verifier), ["code_challenge_method"] = "S256", ["provider"] = provider,
            };
            Answer answer = null;
            if (intent != null)
            {
                // Pushed together with the ID token (RFC 9126), so that the flow can end only for this account.
                fields["intent"] = intent;
                yield return PostForm("/par", fields, found => answer = found);
                if (HasFailed(answer)) yield break;
                fields = new Dictionary<string, string> { ["client_id"] = Client, ["request_uri"] = answer.request_uri };
            }
            message = "Continue in your browser.";
            Application.OpenURL($"{Server}/authorize?{Form(fields)}");

            Dictionary<string, string> received = null;
            yield return Redirect(listener, state, found => received = found);
            if (received == null) { message = "You did not finish in time."; yield break; }
            if (Value(received, "iss") != Server) { message = "The redirect comes from another server."; yield break; }
            string code = Value(received, "code");
            if (code == null)
            {
                message = Value(received, "error_description") ?? Value(received, "error");
                yield break;
            }
            if (intent == null)
            {
                fields = new Dictionary<string, string>
                {
                    ["grant_type"] = "authorization_code", ["client_id"] = Client, ["code"] = code,
                    ["redirect_uri"] = redirect, ["code_verifier"] = verifier,
                };
                yield return PostForm("/token", fields, found => answer = found);
                if (!HasFailed(answer)) Enter(answer.uid, answer.access_token);
            }
            else
            {
                var credential = new Credential { code = code, redirect_uri = redirect, code_verifier = verifier };
                var link = new LinkRequest { credential = credential };
                yield return PostJson("/v1/account/link", JsonUtility.ToJson(link), found => answer = found);
                if (!HasFailed(answer)) Enter(answer.uid, answer.firebase_id_token);
            }
        }
        finally
        {
            listener.Stop();
        }
    }

    IEnumerator Merge()
    {
        Answer answer = null;
        var merge = new MergeRequest { pending_credential = pendingCredential };
        yield return PostJson("/v1/account/merge", JsonUtility.ToJson(merge), found => answer = found);
        if (!HasFailed(answer)) Enter(uid, answer.firebase_id_token);
    }

    // For a console or a headset (RFC 8628).
    IEnumerator Device()
    {
        Answer grant = null, answer = null;
        var fields = new Dictionary<string, string> { ["client_id"] = Client };
        yield return PostForm("/device_authorization", fields, found => grant = found);
        if (HasFailed(grant)) yield break;
        message = $"Open {grant.verification_uri} and enter {grant.user_code}";
        fields["grant_type"] = "urn:ietf:params:oauth:grant-type:device_code";
        fields["device_code"] = grant.device_code;
        while (true)
        {
            yield return new WaitForSecondsRealtime(grant.interval);
            yield return PostForm("/token", fields, found => answer = found);
            if (answer.error == "slow_down") grant.interval += 5;
            else if (answer.error == "network") grant.interval = Math.Min(2 * grant.interval, 60);
            else if (answer.error != "authorization_pending") break;
        }
        if (!HasFailed(answer)) Enter(answer.uid, answer.access_token);
    }

    bool HasFailed(Answer answer)
    {
        if (string.IsNullOrEmpty(answer.error)) return false;
        switch (answer.code)
        {
            case "auth/credential-already-in-use":
                pendingCredential = answer.pending_credential;
                message = $"It belongs to the account {answer.existing_uid}.";
                break;
            case "auth/requires-recent-login":
            case "auth/multi-factor-auth-required":
            case "auth/user-token-expired":
                Leave("Sign in again, and then link.");
                break;
            default:
                pendingCredential = null;
                message = answer.error_description;
                break;
        }
        return true;
    }

    // Other requests neither end the sign-in nor wait: a browser opens connections in advance, and a page can send any request.
    static IEnumerator Redirect(TcpListener listener, string state, Action<Dictionary<string, string>> receive)
    {
        var connections = new List<TcpClient>();
        try
        {
            for (float end = Time.realtimeSinceStartup + 600; Time.realtimeSinceStartup < end;)
            {
                while (listener.Pending()) connections.Add(listener.AcceptTcpClient());
                foreach (var connection in connections.Where(found => found.Connected && found.Available > 0).ToList())
                {
                    connections.Remove(connection);
                    var found = Respond(connection, state);
                    if (found != null) { receive(found); yield break; }
                }
                yield return null;
            }
        }
        finally
        {
            connections.ForEach(connection => connection.Close());
        }
    }

    static Dictionary<string, string> Respond(TcpClient connection, string state)
    {
        try
        {
            using (connection)
            {
                var octets = new byte[8192];
                int length = connection.GetStream().Read(octets, 0, octets.Length);
                string[] words = Encoding.ASCII.GetString(octets, 0, length).Split(' ');
                bool isCallback = words[0] == "GET" && words.Length > 2 && words[1].StartsWith("/callback?");
                var found = isCallback ? Parameters(words[1]) : new Dictionary<string, string>();
                bool isOurs = Value(found, "state") == state;
                string page = isOurs ? "You can close this window." : "This is not the page of a sign-in.";
                byte[] answer = Encoding.ASCII.GetBytes($"HTTP/1.1 {(isOurs ? "200 OK" : "404 Not Found")}\r\n"
                    + $"Content-Type: text/plain\r\nContent-Length: {page.Length}\r\nConnection: close\r\n\r\n{page}");
                connection.GetStream().Write(answer, 0, answer.Length);
                return isOurs ? found : null;
            }
        }
        catch (IOException)
        {
            return null;
        }
    }

    IEnumerator PostForm(string path, Dictionary<string, string> fields, Action<Answer> receive) =>
        Post(path, "application/x-www-form-urlencoded", Form(fields), receive);

    IEnumerator PostJson(string path, string body, Action<Answer> receive) => Post(path, "application/json", body, receive);

    IEnumerator Post(string path, string type, string body, Action<Answer> receive)
    {
        using (var request = new UnityWebRequest(Server + path, "POST"))
        {
            request.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(body)) { contentType = type };
            request.downloadHandler = new DownloadHandlerBuffer();
            if (idToken != null) request.SetRequestHeader("Authorization", "Bearer " + idToken);
            yield return request.SendWebRequest();
            // Without a connection there is no response, and a proxy may send a page.
            bool isJson = (request.GetResponseHeader("Content-Type") ?? "").StartsWith("application/json");
            receive(isJson
                ? JsonUtility.FromJson<Answer>(request.downloadHandler.text)
                : new Answer { error = "network", error_description = "The server did not respond, or a proxy did." });
        }
    }

    static string Secret()
    {
        var octets = new byte[32];
        using (var generator = RandomNumberGenerator.Create()) generator.GetBytes(octets);
        return Base64Url(octets);
    }

    static string Challenge(string verifier)
    {
        using (var hash = SHA256.Create()) return Base64Url(hash.ComputeHash(Encoding.ASCII.GetBytes(verifier)));
    }

    static string Base64Url(byte[] octets) => Convert.ToBase64String(octets).TrimEnd('=').Replace('+', '-').Replace('/', '_');

    static string Form(Dictionary<string, string> fields) =>
        string.Join("&", fields.Select(field => field.Key + "=" + Uri.EscapeDataString(field.Value)));

    static string Value(Dictionary<string, string> values, string name) => values.TryGetValue(name, out var value) ? value : null;

    static Dictionary<string, string> Parameters(string target)
    {
        var found = new Dictionary<string, string>();
        foreach (string[] halves in target.Substring(target.IndexOf('?') + 1).Split('&').Select(pair => pair.Split('=')))
            if (halves.Length == 2) found[halves[0]] = Uri.UnescapeDataString(halves[1].Replace('+', ' '));
        return found;
    }
}
