package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	audienceOfCustomTokens = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
	lifetime               = 300
	clockSkew              = 60
)

var base64URL = base64.RawURLEncoding.Strict()

// providerKey is a key with the only algorithm that it may be used with.
type providerKey struct {
	algorithm string
	ec        *ecdsa.PublicKey
	rsa       *rsa.PublicKey
}

type verifier struct {
	keys     map[string]providerKey
	issuer   string
	audience string
	headers  sync.Map // encoded headers that were decoded before
}

func newVerifier(path, issuer, audience string) (*verifier, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []struct{ Kty, Crv, Kid, X, Y, N, E string }
	}
	if err := json.Unmarshal(file, &set); err != nil {
		return nil, err
	}
	keys := map[string]providerKey{}
	number := func(text string) *big.Int {
		octets, _ := base64URL.DecodeString(text)
		return new(big.Int).SetBytes(octets)
	}
	for _, key := range set.Keys {
		switch {
		case key.Kty == "EC" && key.Crv == "P-256":
			point := &ecdsa.PublicKey{Curve: elliptic.P256(), X: number(key.X), Y: number(key.Y)}
			if !point.Curve.IsOnCurve(point.X, point.Y) {
				return nil, errors.New("a key of the set is not on its curve")
			}
			keys[key.Kid] = providerKey{algorithm: "ES256", ec: point}
		case key.Kty == "RSA":
			public := &rsa.PublicKey{N: number(key.N), E: int(number(key.E).Int64())}
			keys[key.Kid] = providerKey{algorithm: "RS256", rsa: public}
		}
	}
	return &verifier{keys: keys, issuer: issuer, audience: audience}, nil
}

type header struct {
	Alg  string           `json:"alg"`
	Kid  string           `json:"kid"`
	Crit *json.RawMessage `json:"crit"`
}

// audiences is one string or a list of them.
type audiences []string

func (list *audiences) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*list = make(audiences, 1)
		return json.Unmarshal(text, &(*list)[0])
	}
	return json.Unmarshal(text, (*[]string)(list))
}

type claims struct {
	Iss   string    `json:"iss"`
	Sub   string    `json:"sub"`
	Aud   audiences `json:"aud"`
	Azp   string    `json:"azp"`
	Exp   *float64  `json:"exp"`
	Iat   *float64  `json:"iat"`
	Nonce string    `json:"nonce"`
}

type verifiedToken struct {
	subject string
	expiry  int64
	digest  [sha256.Size]byte
}

func (verifier *verifier) header(part string) (*header, error) {
	if found, ok := verifier.headers.Load(part); ok {
		return found.(*header), nil
	}
	octets, err := base64URL.DecodeString(part)
	if err != nil {
		return nil, invalidGrant("malformed_token")
	}
	decoded := new(header)
	if json.Unmarshal(octets, decoded) != nil || decoded.Crit != nil {
		return nil, invalidGrant("malformed_token")
	}
	return decoded, nil
}

func (verifier *verifier) verify(token string, nonce *string, now time.Time) (*verifiedToken, error) {
	first := strings.IndexByte(token, '.')
	last := strings.LastIndexByte(token, '.')
	if first < 1 || last <= first {
		return nil, invalidGrant("malformed_token")
	}
	header, err := verifier.header(token[:first])
	if err != nil {
		return nil, err
	}
	if header.Alg != "ES256" && header.Alg != "RS256" {
		return nil, invalidGrant("algorithm_not_allowed")
	}
	key, known := verifier.keys[header.Kid]
	if !known {
		return nil, invalidGrant("unknown_key")
	}
	if key.algorithm != header.Alg {
		return nil, invalidGrant("algorithm_not_allowed")
	}
	digest := sha256.Sum256([]byte(token[:last]))
	signature, err := base64URL.DecodeString(token[last+1:])
	if err != nil || !key.accepts(digest[:], signature) {
		return nil, invalidGrant("signature_invalid")
	}
	// A header is remembered only after its signature was valid, so that a caller cannot fill the memory with invalid headers.
	verifier.headers.LoadOrStore(token[:first], header)

	payload, err := base64URL.DecodeString(token[first+1 : last])
	if err != nil {
		return nil, invalidGrant("malformed_token")
	}
	var claims claims
	if json.Unmarshal(payload, &claims) != nil || claims.Exp == nil || claims.Iat == nil || claims.Sub == "" {
		return nil, invalidGrant("malformed_token")
	}
	if claims.Iss != verifier.issuer {
		return nil, invalidGrant("issuer_mismatch")
	}
	if !verifier.isAudience(&claims) {
		return nil, invalidGrant("audience_mismatch")
	}
	seconds := float64(now.UnixMilli()) / 1000
	if *claims.Exp+clockSkew <= seconds {
		return nil, invalidGrant("expired")
	}
	if *claims.Iat-clockSkew > seconds {
		return nil, invalidGrant("not_yet_valid")
	}
	if nonce != nil {
		hash := sha256.Sum256([]byte(*nonce))
		if claims.Nonce != base64URL.EncodeToString(hash[:]) && claims.Nonce != hex.EncodeToString(hash[:]) {
			return nil, invalidGrant("nonce_mismatch")
		}
	}
	return &verifiedToken{claims.Sub, int64(*claims.Exp) + 1, digest}, nil
}

func (verifier *verifier) isAudience(claims *claims) bool {
	for _, audience := range claims.Aud {
		if audience == verifier.audience {
			return len(claims.Aud) == 1 || claims.Azp == verifier.audience
		}
	}
	return false
}

func (key *providerKey) accepts(digest, signature []byte) bool {
	if key.rsa != nil {
		return rsa.VerifyPKCS1v15(key.rsa, crypto.SHA256, digest, signature) == nil
	}
	if len(signature) != 64 {
		return false
	}
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	return ecdsa.Verify(key.ec, digest, r, s)
}

type minter struct {
	key     *rsa.PrivateKey
	header  string
	address string
}

func newMinter(path string) (*minter, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var account struct {
		ClientEmail  string `json:"client_email"`
		PrivateKeyID string `json:"private_key_id"`
		PrivateKey   string `json:"private_key"`
	}
	if err := json.Unmarshal(file, &account); err != nil {
		return nil, err
	}
	block, _ := pem.Decode([]byte(account.PrivateKey))
	if block == nil {
		return nil, errors.New("the service account has no private key in PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("the key of the service account is not an RSA key")
	}
	key.Precompute()
	header, err := json.Marshal(map[string]string{"alg": "RS256", "typ": "JWT", "kid": account.PrivateKeyID})
	if err != nil {
		return nil, err
	}
	return &minter{key, base64URL.EncodeToString(header), account.ClientEmail}, nil
}

type customToken struct {
	Iss    string            `json:"iss"`
	Sub    string            `json:"sub"`
	Aud    string            `json:"aud"`
	Iat    int64             `json:"iat"`
	Exp    int64             `json:"exp"`
	UID    string            `json:"uid"`
	Claims customTokenClaims `json:"claims"`
}

type customTokenClaims struct {
	Provider string `json:"idp"`
	Subject  string `json:"idp_uid"`
}

func (minter *minter) mint(issuer, provider, subject string, now time.Time) (*exchangeResponse, error) {
	person := sha256.Sum256([]byte(issuer + "\n" + subject))
	uid := base64URL.EncodeToString(person[:])
	payload, err := json.Marshal(&customToken{
		minter.address, minter.address, audienceOfCustomTokens, now.Unix(), now.Unix() + lifetime, uid,
		customTokenClaims{provider, subject},
	})
	if err != nil {
		return nil, err
	}
	var token bytes.Buffer
	token.Grow(2048)
	token.WriteString(minter.header)
	token.WriteByte('.')
	token.WriteString(base64URL.EncodeToString(payload))
	digest := sha256.Sum256(token.Bytes())
	// The random source is used for blinding, so that the time of a signature does not depend on the key.
	signature, err := rsa.SignPKCS1v15(rand.Reader, minter.key, crypto.SHA256, digest[:])
	if err != nil {
		return nil, err
	}
	token.WriteByte('.')
	token.WriteString(base64URL.EncodeToString(signature))
	return &exchangeResponse{token.String(), lifetime, uid}, nil
}
