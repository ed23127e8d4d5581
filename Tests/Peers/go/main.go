// The Go peer: one process, net/http, one goroutine for each connection.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const longestBody = 64 * 1024

type exchangeRequest struct {
	ClientID   *string `json:"client_id"`
	Provider   *string `json:"provider"`
	Credential *struct {
		Type    string  `json:"type"`
		IDToken *string `json:"id_token"`
		Nonce   *string `json:"nonce"`
	} `json:"credential"`
}

type exchangeResponse struct {
	CustomToken string `json:"custom_token"`
	ExpiresIn   int    `json:"expires_in"`
	UID         string `json:"uid"`
}

// refusal is an answer of 400.
type refusal struct {
	Code   string `json:"error"`
	Reason string `json:"reason"`
}

func (refused *refusal) Error() string { return refused.Reason }

func invalidGrant(reason string) error   { return &refusal{"invalid_grant", reason} }
func invalidRequest(reason string) error { return &refusal{"invalid_request", reason} }

type server struct {
	verifier *verifier
	minter   *minter
	used     *usedTokens
}

var buffers = sync.Pool{New: func() any {
	buffer := make([]byte, 0, 4096)
	return &buffer
}}

func (server *server) exchange(body []byte) (*exchangeResponse, error) {
	var request exchangeRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, invalidRequest("malformed_body")
	}
	if request.ClientID == nil || request.Provider == nil || request.Credential == nil {
		return nil, invalidRequest("missing_field")
	}
	if request.Credential.Type != "id_token" {
		return nil, invalidRequest("unknown_credential_type")
	}
	if request.Credential.IDToken == nil {
		return nil, invalidRequest("missing_field")
	}
	verified, err := server.verifier.verify(*request.Credential.IDToken, request.Credential.Nonce, time.Now())
	if err != nil {
		return nil, err
	}
	isFirst, err := server.used.spend(verified.digest, verified.expiry)
	if err != nil {
		return nil, err
	}
	if !isFirst {
		return nil, invalidGrant("replayed")
	}
	return server.minter.mint(server.verifier.issuer, *request.Provider, verified.subject, time.Now())
}

func (server *server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if request.URL.Path != "/v1/exchange" {
		answer(writer, http.StatusNotFound, &refusal{"invalid_request", "not_found"})
		return
	}
	if request.Method != http.MethodPost {
		answer(writer, http.StatusMethodNotAllowed, &refusal{"invalid_request", "method_not_allowed"})
		return
	}
	if request.ContentLength > longestBody {
		answer(writer, http.StatusRequestEntityTooLarge, &refusal{"invalid_request", "body_too_large"})
		return
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	body, err := readAll(http.MaxBytesReader(writer, request.Body, longestBody), (*buffer)[:0])
	*buffer = body
	if err != nil {
		answer(writer, http.StatusRequestEntityTooLarge, &refusal{"invalid_request", "body_too_large"})
		return
	}
	response, err := server.exchange(body)
	var refused *refusal
	switch {
	case err == nil:
		answer(writer, http.StatusOK, response)
	case errors.As(err, &refused):
		answer(writer, http.StatusBadRequest, refused)
	default:
		log.Print(err)
		answer(writer, http.StatusServiceUnavailable, &refusal{"temporarily_unavailable", "store_unavailable"})
	}
}

// readAll is io.ReadAll into memory that is used again.
func readAll(reader io.Reader, buffer []byte) ([]byte, error) {
	for {
		if len(buffer) == cap(buffer) {
			buffer = append(buffer, 0)[:len(buffer)]
		}
		count, err := reader.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+count]
		if err == io.EOF {
			return buffer, nil
		}
		if err != nil {
			return buffer, err
		}
	}
}

func answer(writer http.ResponseWriter, status int, body any) {
	bytes, err := json.Marshal(body)
	if err != nil {
		writer.WriteHeader(http.StatusInternalServerError)
		return
	}
	header := writer.Header()
	header["Content-Type"] = []string{"application/json"}
	header["Cache-Control"] = []string{"no-store"}
	header["Content-Length"] = []string{strconv.Itoa(len(bytes))}
	writer.WriteHeader(status)
	_, _ = writer.Write(bytes)
}

func main() {
	// Little memory is in use, so collecting garbage less often costs little memory and saves time.
	debug.SetGCPercent(400)
	verifier, err := newVerifier(os.Getenv("JWKS_FILE"), os.Getenv("ISSUER"), os.Getenv("AUDIENCE"))
	if err != nil {
		log.Fatal(err)
	}
	minter, err := newMinter(os.Getenv("SERVICE_ACCOUNT"))
	if err != nil {
		log.Fatal(err)
	}
	path := ""
	if os.Getenv("DURABLE") == "log" {
		path = os.Getenv("LOG")
	}
	used, err := openUsedTokens(path)
	if err != nil {
		log.Fatal(err)
	}
	listening := &http.Server{
		Addr:              "127.0.0.1:" + os.Getenv("PORT"),
		Handler:           &server{verifier, minter, used},
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	go func() {
		<-stop.Done()
		_ = listening.Close()
	}()
	if err := listening.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
