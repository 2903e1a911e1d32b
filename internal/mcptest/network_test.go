package mcptest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// pair is both ends of a connection.
func pair(t *testing.T, n *mcptest.Network) (client, server net.Conn) {
	t.Helper()
	l := n.Listen("host.test:80")
	client, err := n.DialContext(t.Context(), "tcp", "host.test:80")
	require.NoError(t, err)
	server, err = l.Accept()
	require.NoError(t, err)
	return client, server
}

func TestNetworkDials(t *testing.T) {
	for _, tt := range []struct {
		name string
		host func(*mcptest.Network)
		want error
		took time.Duration
	}{
		{"unknown host refuses", func(*mcptest.Network) {}, syscall.ECONNREFUSED, 20 * time.Millisecond},
		{"listening host accepts", func(n *mcptest.Network) { n.Listen("host.test:80") }, nil, 20 * time.Millisecond},
		{"silent host accepts", func(n *mcptest.Network) { n.Silent("host.test:80") }, nil, 20 * time.Millisecond},
		{"slamming host accepts", func(n *mcptest.Network) { n.Slam("host.test:80") }, nil, 20 * time.Millisecond},
		{"black hole never answers", func(n *mcptest.Network) { n.Swallow("host.test:80") }, context.DeadlineExceeded, time.Minute},
		{"shut host refuses", func(n *mcptest.Network) { n.Listen("host.test:80"); n.Shut("host.test:80") }, syscall.ECONNREFUSED, 20 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := mcptest.NewNetwork()
				n.Latency = 10 * time.Millisecond
				defer n.Close()
				tt.host(n)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				began := time.Now()
				_, err := n.DialContext(ctx, "tcp", "host.test:80")
				require.Equal(t, tt.took, time.Since(began))
				require.Equal(t, 1, n.Dials("host.test:80"))
				if tt.want == nil {
					require.NoError(t, err)
					require.Equal(t, 1, n.Open())
					return
				}
				require.ErrorIs(t, err, tt.want)
				var op *net.OpError
				require.ErrorAs(t, err, &op)
				require.Zero(t, n.Open())
			})
		})
	}
}

func TestNetworkCarriesBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		n.Latency = 30 * time.Millisecond
		defer n.Close()
		client, server := pair(t, n)
		data := bytes.Repeat([]byte("0123456789"), 100_000) // more than the buffer takes

		began := time.Now()
		done := make(chan error, 1)
		go func() { // ends when all is written; done is awaited below
			_, err := client.Write(data)
			done <- errors.Join(err, client.Close())
		}()
		got, err := io.ReadAll(server)
		require.NoError(t, err)
		require.NoError(t, <-done)
		require.True(t, bytes.Equal(data, got))
		require.GreaterOrEqual(t, time.Since(began), 30*time.Millisecond)
	})
}

func TestConnectionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		client, server := pair(t, n)
		buf := make([]byte, 10)

		require.NoError(t, client.SetReadDeadline(time.Now().Add(time.Second)))
		began := time.Now()
		_, err := client.Read(buf)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
		var timeout net.Error
		require.ErrorAs(t, err, &timeout)
		require.True(t, timeout.Timeout())

		require.NoError(t, client.SetReadDeadline(time.Time{}))
		_, err = server.Write([]byte("bye"))
		require.NoError(t, err)
		require.NoError(t, server.Close())
		read, err := client.Read(buf)
		require.NoError(t, err)
		require.Equal(t, "bye", string(buf[:read]), "what was written before the close arrives")
		_, err = client.Read(buf)
		require.ErrorIs(t, err, io.EOF)
		_, err = client.Write([]byte("x"))
		require.ErrorIs(t, err, syscall.EPIPE)

		require.Equal(t, 1, n.Open(), "the client has not closed its end")
		require.NoError(t, client.Close())
		require.Zero(t, n.Open())
		_, err = client.Read(buf)
		require.ErrorIs(t, err, net.ErrClosed)
	})
}

func TestWriteWaitsForTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		client, _ := pair(t, n)
		require.NoError(t, client.SetWriteDeadline(time.Now().Add(time.Second)))
		written, err := client.Write(make([]byte, 1<<20))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 64<<10, written)
	})
}

func TestCutResetsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		client, server := pair(t, n)
		_, err := server.Write([]byte("lost"))
		require.NoError(t, err)
		n.Cut()
		_, err = client.Read(make([]byte, 10))
		require.Error(t, err)
		require.NotErrorIs(t, err, io.EOF)
		require.Zero(t, n.Open())
	})
}

func TestNetworkCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		n.Silent("silent.test:80")
		url := mcptest.Start(t, n, "good.test:80", &mcptest.Server{})
		client := n.Client()
		res, err := client.Get(url)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		require.NoError(t, res.Body.Close())
		failed := make(chan error, 1)
		go func() { // ends when the network closes; awaited below
			_, err := client.Get("http://silent.test")
			failed <- err
		}()
		synctest.Wait()
		require.Equal(t, 2, n.Open())
		n.Close()
		require.Error(t, <-failed)
		require.Zero(t, n.Open())
		n.Close()
		_, err = n.DialContext(t.Context(), "tcp", "good.test:80")
		require.Error(t, err)
	})
}

func TestClientWithoutABubble(t *testing.T) {
	n := mcptest.NewNetwork()
	n.Latency = time.Millisecond
	defer n.Close()
	url := mcptest.Start(t, n, "good.test:80", &mcptest.Server{})
	res, err := n.Client().Post(url, "application/json", nil)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, http.StatusBadRequest, res.StatusCode)
}
