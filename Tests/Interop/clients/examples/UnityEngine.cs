// What the example uses of Unity, as a program that a test controls: each line of the input presses a button, and each label
// and each URL is a line of the output. The signatures are those of Unity's documentation; the requests go through .NET.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

namespace UnityEngine
{
    public class Coroutine { }

    public class WaitForSecondsRealtime : IEnumerator
    {
        readonly float end;
        public WaitForSecondsRealtime(float seconds) { end = Time.realtimeSinceStartup + seconds; }
        public object Current => null;
        public bool MoveNext() => Time.realtimeSinceStartup < end;
        public void Reset() { }
    }

    public class AsyncOperation { }

    public class MonoBehaviour
    {
        internal readonly List<Stack<IEnumerator>> Running = new List<Stack<IEnumerator>>();

        public Coroutine StartCoroutine(IEnumerator routine)
        {
            Running.Add(new Stack<IEnumerator>(new[] { routine }));
            return new Coroutine();
        }

        /// Runs each coroutine until its next frame.
        internal void Step()
        {
            foreach (var stack in Running.ToList())
            {
                while (stack.Count > 0)
                {
                    if (!stack.Peek().MoveNext()) { stack.Pop(); continue; }
                    if (stack.Peek().Current is IEnumerator inner) { stack.Push(inner); continue; }
                    if (stack.Peek().Current == null) break;
                }
                if (stack.Count == 0) Running.Remove(stack);
            }
        }
    }

    public static class Time
    {
        static readonly Stopwatch Clock = Stopwatch.StartNew();
        public static float realtimeSinceStartup => (float)Clock.Elapsed.TotalSeconds;
    }

    public static class Application
    {
        public static void OpenURL(string url) => Console.WriteLine("Open " + url);
    }

    public static class GUI
    {
        public static bool enabled = true;
    }

    public static class GUILayout
    {
        internal static string Pressed, Shown;

        public static void Label(string text)
        {
            if (text != Shown) Console.WriteLine("Label " + text);
            Shown = text;
        }

        public static bool Button(string text)
        {
            if (!GUI.enabled || text != Pressed) return false;
            Pressed = null;
            return true;
        }
    }

    public static class JsonUtility
    {
        const BindingFlags Fields = BindingFlags.Public | BindingFlags.Instance;

        public static string ToJson(object value) => "{" + string.Join(",", value.GetType().GetFields(Fields).Select(field =>
            $"\"{field.Name}\":" + (field.GetValue(value) is string text ? $"\"{text}\"" : ToJson(field.GetValue(value))))) + "}";

        /// Reads members that are texts or integers; the texts of the tests have no escaped characters.
        public static T FromJson<T>(string json)
        {
            var value = Activator.CreateInstance<T>();
            foreach (var field in typeof(T).GetFields(Fields))
            {
                var found = Regex.Match(json, $"\"{field.Name}\" *: *(\"([^\"]*)\"|([0-9]+))");
                if (!found.Success) continue;
                if (field.FieldType == typeof(string)) field.SetValue(value, found.Groups[2].Value);
                else field.SetValue(value, int.Parse(found.Groups[3].Value));
            }
            return value;
        }
    }

    public static class Player
    {
        public static void Main()
        {
            var lines = new Queue<string>();
            new Thread(() =>
            {
                for (string line; (line = Console.ReadLine()) != null;) lock (lines) lines.Enqueue(line);
                Environment.Exit(0);
            }).Start();
            var type = Assembly.GetExecutingAssembly().GetTypes().Single(found => found.BaseType == typeof(MonoBehaviour));
            var behaviour = (MonoBehaviour)Activator.CreateInstance(type);
            var draw = type.GetMethod("OnGUI", BindingFlags.NonPublic | BindingFlags.Instance);
            while (true)
            {
                if (GUILayout.Pressed == null) lock (lines) if (lines.Count > 0) GUILayout.Pressed = lines.Dequeue();
                GUI.enabled = true;
                draw.Invoke(behaviour, null);
                behaviour.Step();
                Thread.Sleep(10);
            }
        }
    }
}

namespace UnityEngine.Networking
{
    public class UploadHandlerRaw
    {
        internal readonly byte[] Data;
        public string contentType;
        public UploadHandlerRaw(byte[] data) { Data = data; }
    }

    public class DownloadHandlerBuffer
    {
        public string text { get; internal set; }
    }

    public class UnityWebRequestAsyncOperation : AsyncOperation { }

    public class UnityWebRequest : IDisposable
    {
        readonly HttpWebRequest request;
        public UploadHandlerRaw uploadHandler;
        public DownloadHandlerBuffer downloadHandler;
        WebResponse response;

        public UnityWebRequest(string url, string method)
        {
            request = (HttpWebRequest)WebRequest.Create(url);
            request.Method = method;
            request.Proxy = null;
        }

        public void SetRequestHeader(string name, string value) => request.Headers[name] = value;

        public string GetResponseHeader(string name) => response?.Headers[name];

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            request.ContentType = uploadHandler.contentType;
            try
            {
                using (var body = request.GetRequestStream()) body.Write(uploadHandler.Data, 0, uploadHandler.Data.Length);
                response = request.GetResponse();
            }
            catch (WebException exception) when (exception.Response != null)
            {
                response = exception.Response;
            }
            using (var reader = new StreamReader(response.GetResponseStream(), Encoding.UTF8))
                downloadHandler.text = reader.ReadToEnd();
            return new UnityWebRequestAsyncOperation();
        }

        public void Dispose() => response?.Dispose();
    }
}
