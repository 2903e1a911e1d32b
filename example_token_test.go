package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"cdr.dev/slog/v3"
	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
)

// A host that refreshes a token by itself, before a step for example.
func ExampleRefreshToken() {
	authorizationServer := httptest.NewServer(http.HandlerFunc(tokens))
	defer authorizationServer.Close()
	config := &oauth2.Config{ClientID: "chat", Endpoint: oauth2.Endpoint{
		TokenURL: authorizationServer.URL, AuthStyle: oauth2.AuthStyleInParams,
	}}

	for _, refreshToken := range []string{"refresh-1", "refresh-0"} {
		stored := mcpclient.UserToken{Token: oauth2.Token{AccessToken: "access-1", RefreshToken: refreshToken}}
		fresh, err := mcpclient.RefreshToken(context.Background(), nil, config, stored)
		switch {
		case errors.Is(err, mcpclient.ErrGrantRevoked):
			fmt.Println("the user has to connect again:", fresh.NeedsReconnect)
		case err != nil:
			fmt.Println("try again later:", err)
		default:
			fmt.Println("store", fresh.Token.AccessToken, "and", fresh.Token.RefreshToken)
		}
	}
	// Output:
	// store access-2 and refresh-2
	// the user has to connect again: true
}

// With OAuth2.Config the package refreshes an expired token by itself, and the
// host stores the new one before a request uses it.
func ExampleOAuth2() {
	authorizationServer := httptest.NewServer(http.HandlerFunc(tokens))
	defer authorizationServer.Close()
	greetings := greeter()
	mcpServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer access-2" {
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		greetings.ServeHTTP(w, r)
	}))
	defer mcpServer.Close()

	config := mcpclient.ServerConfig{ID: uuid.New(), Slug: "greeter", URL: mcpServer.URL, Auth: mcpclient.OAuth2{
		Config: &oauth2.Config{ClientID: "chat", Endpoint: oauth2.Endpoint{TokenURL: authorizationServer.URL}},
	}}
	expired := mcpclient.UserToken{ServerID: config.ID, Token: oauth2.Token{
		AccessToken: "access-1", RefreshToken: "refresh-1", Expiry: time.Now().Add(-time.Hour),
	}}
	_, summaries, cleanup := mcpclient.ConnectAll(context.Background(), slog.Make(),
		[]mcpclient.ServerConfig{config}, []mcpclient.UserToken{expired}, mcpclient.Options{
			OnTokenRefresh: func(_ context.Context, token mcpclient.UserToken) error {
				fmt.Println("store", token.Token.AccessToken, "and", token.Token.RefreshToken)
				return nil
			},
		})
	defer cleanup()
	fmt.Println(summaries[0].Slug, summaries[0].Outcome)
	// Output:
	// store access-2 and refresh-2
	// greeter connected
}

// tokens is the token endpoint of an authorization server whose refresh tokens
// can be used once. It knows refresh-1.
func tokens(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.FormValue("refresh_token") != "refresh-1" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_grant"}`)
		return
	}
	fmt.Fprint(w, `{"access_token":"access-2","refresh_token":"refresh-2","token_type":"Bearer","expires_in":3600}`)
}
