// A sign-in on phones and desktops. README.md says how to start it.
import 'dart:convert';
import 'dart:math';

import 'package:crypto/crypto.dart';
import 'package:flutter/material.dart';
import 'package:flutter_web_auth_2/flutter_web_auth_2.dart';
import 'package:http/http.dart' as http;

const server = String.fromEnvironment('SERVER', defaultValue: 'http://127.0.0.1:8080');
// With `redeem: true`, so that a session of Firebase comes in place of a custom token.
const client = String.fromEnvironment('CLIENT', defaultValue: 'without-sdk');
const scheme = 'com.example.app', redirect = '$scheme:/oauth';

/// The codes of errors after which a new sign-in, with the second factor if there is one, helps.
const outdated = {'auth/requires-recent-login', 'auth/multi-factor-auth-required', 'auth/user-token-expired'};

void main() => runApp(const MaterialApp(home: Scaffold(body: SafeArea(child: SignIn()))));

/// An error of the server, as its JSON.
class Refusal implements Exception {
  Refusal(this.answer);
  final Map<String, dynamic> answer;
}

class SignIn extends StatefulWidget {
  const SignIn({super.key});

  @override
  State<SignIn> createState() => _SignInState();
}

class _SignInState extends State<SignIn> {
  String? uid, idToken;
  String message = 'Signed out.';
  bool isBusy = false;

  @override
  Widget build(BuildContext context) => Column(children: [
        Text(message),
        if (uid == null) ...[
          button('Sign in with Yahoo', () => signIn('yahoo.com')),
          button('Sign in with X', () => signIn('twitter.com')),
        ] else ...[
          button('Link Yahoo', () => link('yahoo.com')),
          button('Link X', () => link('twitter.com')),
          button('Sign out', () async => leave('Signed out.')),
        ],
      ]);

  Widget button(String text, Future<void> Function() work) =>
      FilledButton(onPressed: isBusy ? null : () => run(work), child: Text(text));

  Future<void> run(Future<void> Function() work) async {
    setState(() => isBusy = true);
    try {
      await work();
    } on Refusal catch (refusal) {
      if (outdated.contains(refusal.answer['code'])) {
        leave('Sign in again, and then link.');
      } else {
        message = refusal.answer['error_description'] ?? refusal.answer['error'];
      }
    } catch (error) {
      message = 'The sign-in did not finish: $error';
    }
    if (mounted) setState(() => isBusy = false);
  }

  void enter(String newUid, String newToken) {
    uid = newUid;
    idToken = newToken;
    message = 'Signed in as $newUid.';
  }

  void leave(String why) {
    uid = idToken = null;
    message = why;
  }

  Future<void> signIn(String provider) async {
    final (code, verifier) = await browse(provider, null);
    final token = await post('/token', {
      'grant_type': 'authorization_code', 'client_id': client, 'code': code,
      'redirect_uri': redirect, 'code_verifier': verifier,
    });
    enter(token['uid'], token['access_token']);
  }

  Future<void> link(String provider) async {
    final (code, verifier) = await browse(provider, 'link');
    final credential = {'type': 'handoff', 'code': code, 'redirect_uri': redirect, 'code_verifier': verifier};
    try {
      final body = jsonEncode({'client_id': client, 'credential': credential});
      enter(uid!, (await post('/v1/account/link', body))['firebase_id_token']);
    } on Refusal catch (refusal) {
      final answer = refusal.answer;
      if (answer['reason'] != 'credential_already_in_use') rethrow;
      if (!await mayMerge(answer['existing_uid'])) return;
      final body = jsonEncode({'client_id': client, 'pending_credential': answer['pending_credential']});
      enter(uid!, (await post('/v1/account/merge', body))['firebase_id_token']);
    }
  }

  Future<bool> mayMerge(String other) async =>
      await showDialog<bool>(
        context: context,
        builder: (context) => AlertDialog(
          content: Text('It belongs to the account $other. Move it here, and delete that account?'),
          actions: [
            TextButton(onPressed: () => Navigator.pop(context, false), child: const Text('Cancel')),
            TextButton(onPressed: () => Navigator.pop(context, true), child: const Text('Move and delete')),
          ],
        ),
      ) ??
      false;

  /// Opens the pages, which ask for a second factor, and returns the code and the PKCE verifier.
  Future<(String, String)> browse(String provider, String? intent) async {
    final state = secret(), verifier = secret();
    var fields = {
      'response_type': 'code', 'client_id': client, 'redirect_uri': redirect, 'state': state, 'provider': provider,
      'code_challenge': base64Text(sha256.convert(ascii.encode(verifier)).bytes), 'code_challenge_method': 'S256',
    };
    if (intent != null) {
      // Pushed together with the ID token (RFC 9126), so that the flow can end only for this account.
      final pushed = await post('/par', {...fields, 'intent': intent});
      fields = {'client_id': client, 'request_uri': pushed['request_uri']};
    }
    final url = Uri.parse('$server/authorize').replace(queryParameters: fields);
    final ended = await FlutterWebAuth2.authenticate(url: url.toString(), callbackUrlScheme: scheme);
    final answer = Uri.parse(ended).queryParameters;
    if (answer['state'] != state) throw StateError('The redirect belongs to another sign-in.');
    if (answer['iss'] != server) throw StateError('The redirect comes from another server.');
    final code = answer['code'];
    if (code == null) throw Refusal(answer);
    return (code, verifier);
  }

  /// Sends a form, or a text that is JSON.
  Future<Map<String, dynamic>> post(String path, Object body) async {
    final response = await http.post(Uri.parse('$server$path'), body: body, headers: {
      if (body is String) 'Content-Type': 'application/json',
      if (idToken != null) 'Authorization': 'Bearer $idToken',
    });
    final Map<String, dynamic> answer = jsonDecode(response.body);
    if (response.statusCode >= 400) throw Refusal(answer);
    return answer;
  }

  static String secret() => base64Text(List.generate(32, (_) => Random.secure().nextInt(256)));

  static String base64Text(List<int> octets) => base64Url.encode(octets).replaceAll('=', '');
}
