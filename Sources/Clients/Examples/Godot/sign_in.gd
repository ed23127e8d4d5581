# A sign-in for a game: in the browser of a desktop, or with a code on another device.
# README.md says how to start it.
extends VBoxContainer

const SERVER := "http://127.0.0.1:8080"
# It has `redeem: true`, so that a session of Firebase comes in place of a custom token.
const CLIENT := "without-sdk"
const FORM := "Content-Type: application/x-www-form-urlencoded"
const JSON_BODY := "Content-Type: application/json"
const DEVICE_GRANT := "urn:ietf:params:oauth:grant-type:device_code"

var uid := ""
var id_token := ""
var pending_credential := ""
var line := Label.new()
var buttons := VBoxContainer.new()


func _ready() -> void:
	add_child(line)
	add_child(buttons)
	leave("Signed out.")


# Shows a message, and the buttons that make sense now.
func show_choices(message: String) -> void:
	wait(message)
	if uid.is_empty():
		add_button("Sign in with Yahoo", browse.bind("", "yahoo.com"))
		add_button("Sign in with X", browse.bind("", "twitter.com"))
		add_button("Sign in on another device", use_device)
	elif not pending_credential.is_empty():
		add_button("Move it here, and delete that account", merge)
		add_button("Cancel", func(): enter(uid, id_token))
	else:
		add_button("Link Yahoo", browse.bind("link", "yahoo.com"))
		add_button("Link X", browse.bind("link", "twitter.com"))
		add_button("Sign out", leave.bind("Signed out."))


# Shows a message without buttons.
func wait(message: String) -> void:
	line.text = message
	for button in buttons.get_children():
		button.queue_free()


func add_button(text: String, work: Callable) -> void:
	var button := Button.new()
	button.text = text
	button.pressed.connect(work)
	buttons.add_child(button)


func enter(new_uid: String, new_token: String) -> void:
	uid = new_uid
	id_token = new_token
	pending_credential = ""
	show_choices("Signed in as %s." % uid)


func leave(why: String) -> void:
	uid = ""
	id_token = ""
	pending_credential = ""
	show_choices(why)


# The browser is redirected to a port of this machine (RFC 8252 section 7.3).
# The pages of the server ask for a second factor.
func browse(intent: String, provider: String) -> void:
	wait("Continue in your browser.")
	var listener := TCPServer.new()
	if listener.listen(0, "127.0.0.1") != OK:
		show_choices("No port of this machine is free.")
		return
	var redirect_uri := "http://127.0.0.1:%d/callback" % listener.get_local_port()
	var state := secret()
	var verifier := secret()
	var fields := {
		"response_type": "code",
		"client_id": CLIENT,
		"redirect_uri": redirect_uri,
		"state": state,
		"code_challenge": base64url(verifier.sha256_buffer()),
		"code_challenge_method": "S256",
		"provider": provider,
	}
	if not intent.is_empty():
		# Pushed together with the ID token (RFC 9126): the flow can end only for this account.
		fields["intent"] = intent
		var pushed := await post("/par", FORM, form(fields))
		if has_failed(pushed):
			return
		fields = {"client_id": CLIENT, "request_uri": pushed["request_uri"]}
	OS.shell_open(SERVER + "/authorize?" + form(fields))

	var received := await redirect(listener, state)
	listener.stop()
	if received.is_empty():
		show_choices("You did not finish in time.")
	elif received.get("iss") != SERVER:
		show_choices("The redirect comes from another server.")
	elif not "code" in received:
		show_choices(
			received.get("error_description", received.get("error", "The sign-in failed."))
		)
	else:
		await finish(intent, received["code"], redirect_uri, verifier)


func finish(intent: String, code: String, redirect_uri: String, verifier: String) -> void:
	var proof := {"code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}
	if intent.is_empty():
		proof.merge({"grant_type": "authorization_code", "client_id": CLIENT})
		var token := await post("/token", FORM, form(proof))
		if not has_failed(token):
			enter(token["uid"], token["access_token"])
	else:
		proof["type"] = "handoff"
		var body := JSON.stringify({"client_id": CLIENT, "credential": proof})
		var linked := await post("/v1/account/" + intent, JSON_BODY, body)
		if not has_failed(linked):
			enter(linked["uid"], linked["firebase_id_token"])


func merge() -> void:
	wait("Moving.")
	var body := JSON.stringify({"client_id": CLIENT, "pending_credential": pending_credential})
	var merged := await post("/v1/account/merge", JSON_BODY, body)
	if not has_failed(merged):
		enter(uid, merged["firebase_id_token"])


# For a console or a headset (RFC 8628).
func use_device() -> void:
	wait("Asking for a code.")
	var grant := await post("/device_authorization", FORM, form({"client_id": CLIENT}))
	if has_failed(grant):
		return
	wait("Open %s and enter %s" % [grant["verification_uri"], grant["user_code"]])
	var interval: float = grant["interval"]
	var fields := {
		"client_id": CLIENT, "grant_type": DEVICE_GRANT, "device_code": grant["device_code"]
	}
	while true:
		await get_tree().create_timer(interval).timeout
		var token := await post("/token", FORM, form(fields))
		match token.get("error", ""):
			"authorization_pending":
				pass
			"slow_down":
				interval += 5
			"network":
				interval = minf(2 * interval, 60)
			_:
				if not has_failed(token):
					enter(token["uid"], token["access_token"])
				return


# Shows the error of an answer, if it is one.
func has_failed(answer: Dictionary) -> bool:
	if not "error" in answer:
		return false
	match answer.get("code", ""):
		"auth/credential-already-in-use":
			pending_credential = answer["pending_credential"]
			show_choices("It belongs to the account %s." % answer["existing_uid"])
		"auth/requires-recent-login", "auth/multi-factor-auth-required", "auth/user-token-expired":
			leave("Sign in again, and then link.")
		_:
			pending_credential = ""
			show_choices(answer.get("error_description", answer["error"]))
	return true


# Other requests neither end the sign-in nor delay it: a browser opens connections in advance, and
# a web page can send any request.
func redirect(listener: TCPServer, state: String) -> Dictionary:
	var connections: Array[StreamPeerTCP] = []
	var end := Time.get_ticks_msec() + 600_000
	while Time.get_ticks_msec() < end:
		while listener.is_connection_available():
			connections.append(listener.take_connection())
		for connection in connections.duplicate():
			connection.poll()
			var length: int = connection.get_available_bytes()
			if length == 0:
				continue
			connections.erase(connection)
			var words: PackedStringArray = connection.get_utf8_string(length).split(" ")
			var is_callback := (
				words.size() > 2 and words[0] == "GET" and words[1].begins_with("/callback?")
			)
			var found := parameters(words[1]) if is_callback else {}
			var is_ours: bool = found.get("state") == state
			var status := "200 OK" if is_ours else "404 Not Found"
			var page := "You can close this window." if is_ours else "This is no sign-in."
			var text := "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
			connection.put_data((text % [status, page.length(), page]).to_ascii_buffer())
			connection.disconnect_from_host()
			if is_ours:
				return found
		await get_tree().process_frame
	return {}


func parameters(target: String) -> Dictionary:
	var found := {}
	for pair in target.get_slice("?", 1).split("&"):
		var halves := pair.split("=")
		if halves.size() == 2:
			found[halves[0]] = halves[1].replace("+", " ").uri_decode()
	return found


func post(path: String, type: String, body: String) -> Dictionary:
	var request := HTTPRequest.new()
	add_child(request)
	var header := PackedStringArray([type])
	if not id_token.is_empty():
		header.append("Authorization: Bearer " + id_token)
	var answer: Variant = null
	if request.request(SERVER + path, header, HTTPClient.METHOD_POST, body) == OK:
		# The response: result, status, header, body.
		var response: Array = await request.request_completed
		answer = JSON.parse_string(response[3].get_string_from_utf8())
	request.queue_free()
	if answer is Dictionary:
		return answer
	return {"error": "network", "error_description": "The server did not respond, or a proxy did."}


func form(fields: Dictionary) -> String:
	var pairs := PackedStringArray()
	for key in fields:
		pairs.append("%s=%s" % [key, str(fields[key]).uri_encode()])
	return "&".join(pairs)


func secret() -> String:
	return base64url(Crypto.new().generate_random_bytes(32))


func base64url(octets: PackedByteArray) -> String:
	return Marshalls.raw_to_base64(octets).replace("+", "-").replace("/", "_").replace("=", "")
