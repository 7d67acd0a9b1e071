package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
)

func caller(r *http.Request) string {
	user := r.Header.Get("Remote-User")
	if user == "" {
		user = r.Header.Get("Remote-Client")
	}
	name, err := url.PathUnescape(user)
	if err != nil {
		return ""
	}
	return name
}

func knownCallersOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if caller(r) == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/whoami", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"user": caller(r), "id": r.Header.Get("Remote-User-Id")})
	})
	mux.HandleFunc("/reports", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode([]string{"Apples picked"})
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, knownCallersOnly(mux)))
}
