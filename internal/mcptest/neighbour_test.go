package mcptest_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

const (
	slowCall = `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"slow","arguments":{}}}`
	echoCall = `{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"echo","arguments":{"text":"still here"}}}`
)

// TestFaultsLeaveNeighboursAlone shows that what the table wants of a client can be had: a fault in one call does not come near
// another one, at least not by the server.
func TestFaultsLeaveNeighboursAlone(t *testing.T) {
	for _, c := range mcptest.Cases(mcptest.Faults) {
		if c.At != mcptest.Faulty || c.Running.Kind != mcptest.OK || c.Next.Kind != mcptest.OK {
			continue
		}
		if c.Way == mcptest.OverLegacy && c.Call.Kind == mcptest.Either {
			continue // without an end, in the stream that all calls share
		}
		t.Run(c.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { neighbours(t, c) })
		})
	}
}

func neighbours(t *testing.T, c mcptest.Case) {
	n := mcptest.NewNetwork()
	defer n.Close()
	s := c.NewServer()
	p := &probe{client: n.Client(), url: mcptest.Start(t, n, "bad.test:80", s)}
	url := &p.url
	if c.Way == mcptest.OverLegacy {
		p.listen()
		url = &p.post
		p.stream.unbound = true
	}
	p.step(c, steps[mcptest.Initialize])
	p.step(c, steps[mcptest.Initialized])

	done := make(chan string, 1)
	go func() { done <- p.request(http.MethodPost, *url, slowCall) }() // ends with the call; awaited below
	require.NoError(t, s.Running(t.Context(), "slow", 1))
	go func() { p.request(http.MethodPost, *url, steps[mcptest.Faulty]) }() // ends by its own time; the bubble waits for it
	require.NoError(t, s.Reached(t.Context(), mcptest.Faulty, 1))
	synctest.Wait()
	s.Release()
	slow := <-done
	echo := p.request(http.MethodPost, *url, echoCall)
	if c.Way == mcptest.OverLegacy {
		synctest.Wait()
		p.stream.Lock()
		defer p.stream.Unlock()
		slow = p.stream.got.String()
		echo = slow
	}
	require.Contains(t, slow, "released")
	require.Contains(t, echo, "still here")
}
