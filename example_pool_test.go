package mcpclient_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"cdr.dev/slog/v3"
	"github.com/google/uuid"

	"github.com/mcpclient-go/mcpclient"
)

// A backend has one Pool. The first step of a chat connects its servers; those
// that follow find them warm.
func ExamplePool() {
	server := httptest.NewServer(greeter())
	defer server.Close()
	ctx := context.Background()
	pool := mcpclient.NewPool(mcpclient.PoolOptions{})
	defer func() {
		if err := pool.Close(ctx); err != nil {
			fmt.Println("close the pool:", err)
		}
	}()

	configs := []mcpclient.ServerConfig{{ID: uuid.New(), Slug: "greeter", URL: server.URL}}
	for n := 1; n <= 2; n++ {
		tools, summaries, cleanup := pool.ConnectAll(ctx, slog.Make(), configs, nil, mcpclient.Options{})
		fmt.Printf("step %d: %s, reused: %t, tools: %d\n", n, summaries[0].Outcome, summaries[0].Reused, len(tools))
		cleanup() // the session goes back to the pool
	}
	stats := pool.Stats()
	fmt.Printf("sessions: %d, dials: %d, hits: %d\n", stats.Sessions, stats.Dials, stats.Hits)
	// Output:
	// step 1: connected, reused: false, tools: 1
	// step 2: connected, reused: true, tools: 1
	// sessions: 1, dials: 1, hits: 1
}
