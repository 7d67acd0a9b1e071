// Package verifytoken verifies Rollbook's access tokens with the standard library.
package verifytoken

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Claims of a user or of a program. For a program, ClientID equals Subject.
type Claims struct {
	Issuer      string   `json:"iss"`
	Audience    string   `json:"aud"`
	Subject     string   `json:"sub"`
	ClientID    string   `json:"client_id"`
	Username    string   `json:"username"`
	Role        string   `json:"role"`
	Permissions []string `json:"permissions"`
	ID          string   `json:"jti"`
	Expires     int64    `json:"exp"`
}

var errInvalid = errors.New("the access token is not valid")

// Verify checks a token with the published keys, by their kid.
func Verify(token, issuer, audience string, keys map[string]ed25519.PublicKey, now time.Time) (*Claims, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errInvalid
	}
	var header struct{ Alg, Typ, Kid string }
	var claims Claims
	if decode(parts[0], &header) != nil || decode(parts[1], &claims) != nil {
		return nil, errInvalid
	}
	key, found := keys[header.Kid]
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if !found || err != nil || header.Alg != "EdDSA" || header.Typ != "at+jwt" ||
		!ed25519.Verify(key, []byte(parts[0]+"."+parts[1]), signature) {
		return nil, errInvalid
	}
	if claims.Issuer != issuer || claims.Audience != audience || claims.Subject == "" || now.Unix() >= claims.Expires {
		return nil, errInvalid
	}
	return &claims, nil
}

// ReadKeys reads the response of /.well-known/jwks.json.
func ReadKeys(jwks []byte) (map[string]ed25519.PublicKey, error) {
	var set struct {
		Keys []struct{ Kty, Crv, Kid, X string }
	}
	if err := json.Unmarshal(jwks, &set); err != nil {
		return nil, err
	}
	keys := map[string]ed25519.PublicKey{}
	for _, key := range set.Keys {
		x, err := base64.RawURLEncoding.DecodeString(key.X)
		if key.Kty == "OKP" && key.Crv == "Ed25519" && err == nil && len(x) == ed25519.PublicKeySize {
			keys[key.Kid] = x
		}
	}
	return keys, nil
}

func decode(part string, into any) error {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
