// Command x_oauth2 is a native application (RFC 8252) that signs in with golang.org/x/oauth2.
//
// It prints the authorization URL, waits for the redirect on loopback, and prints the token and the number of token
// requests as JSON. Only the listener is our own code.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/authhandler"
)

// counted counts the requests of the library.
type counted struct {
	requests int
}

func (c *counted) RoundTrip(request *http.Request) (*http.Response, error) {
	c.requests++
	return http.DefaultTransport.RoundTrip(request)
}

func random() string {
	octets := make([]byte, 32)
	if _, err := rand.Read(octets); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(octets)
}

// redirect prints the URL and returns the code and the state of the first redirect.
func redirect(listener net.Listener, url string) (string, string, error) {
	fmt.Println(url)
	type answer struct{ code, state, err string }
	answers := make(chan answer, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		query := request.URL.Query()
		answers <- answer{query.Get("code"), query.Get("state"), query.Get("error")}
	})}
	go server.Serve(listener)
	received := <-answers
	if received.err != "" {
		return "", "", fmt.Errorf("the redirect has the error %s", received.err)
	}
	return received.code, received.state, server.Shutdown(context.Background())
}

func main() {
	server := flag.String("server", "", "the issuer")
	clientID := flag.String("client", "", "the client_id")
	inForm := flag.Bool("form", false, "send the client_id in the form; by default the library finds out what to send")
	flag.Parse()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	config := &oauth2.Config{
		ClientID:    *clientID,
		RedirectURL: fmt.Sprintf("http://%s/callback", listener.Addr()),
		Endpoint:    oauth2.Endpoint{AuthURL: *server + "/authorize", TokenURL: *server + "/token"},
	}
	if *inForm {
		config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	verifier := random()
	challenge := sha256.Sum256([]byte(verifier))
	pkce := &authhandler.PKCEParams{
		Challenge:       base64.RawURLEncoding.EncodeToString(challenge[:]),
		ChallengeMethod: "S256",
		Verifier:        verifier,
	}
	transport := &counted{}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: transport})
	opened := func(url string) (string, string, error) { return redirect(listener, url) }
	token, err := authhandler.TokenSourceWithPKCE(ctx, config, random(), opened, pkce).Token()
	if err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"access_token": token.AccessToken,
		"token_type":   token.TokenType,
		"uid":          token.Extra("uid"),
		"is_valid":     token.Valid(),
		"requests":     transport.requests,
	})
}
