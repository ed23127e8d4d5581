// Command cli_oauth signs in with the device grant of github.com/cli/oauth, the library of GitHub's command line.
//
// It prints the URL and the code for the user, waits for a line on standard input, and then polls once. Without that
// line it would have to wait for the interval of RFC 8628.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/cli/oauth/device"
)

func main() {
	server := flag.String("server", "", "the issuer")
	clientID := flag.String("client", "", "the client_id")
	flag.Parse()

	code, err := device.RequestCode(http.DefaultClient, *server+"/device_authorization", *clientID, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(code.VerificationURI, code.UserCode)
	bufio.NewReader(os.Stdin).ReadString('\n')
	code.Interval = 0
	options := device.WaitOptions{ClientID: *clientID, DeviceCode: code}
	token, err := device.Wait(context.Background(), http.DefaultClient, *server+"/token", options)
	if err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"access_token": token.Token, "token_type": token.Type})
}
