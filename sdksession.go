package mcpclient

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// connectSDK does the handshake by the SDK.
func (s *session) connectSDK(onSend func()) error {
	options := &mcp.ClientOptions{
		Logger:         discardLogger,
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if changed := s.server.onListChanged; changed != nil {
		options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
	}
	client := mcp.NewClient(&s.server.opts.ClientInfo, options)
	client.AddReceivingMiddleware(refuseRequests)
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return s.send(next, onSend)
	})
	var err error
	s.sdk, err = client.Connect(s.life, s.transport(), &mcp.ClientSessionOptions{ProtocolVersion: s.version})
	if err != nil {
		return err
	}
	init := s.sdk.InitializeResult()
	s.info.protocol, s.info.instructions = init.ProtocolVersion, init.Instructions // the rest is from cleanInitialize
	if init.ServerInfo != nil {
		s.info.name, s.info.version = init.ServerInfo.Name, init.ServerInfo.Version
	}
	if s.stateless() {
		s.info.listsTools = hasTools(init.Capabilities)
	}
	return nil
}

func (s *session) transport() mcp.Transport {
	client := s.wire.Client()
	// An event is at most what wire lets through, plus its framing.
	limit := int(min(s.server.opts.Limits.BodyBytes, 1<<40)) + 1<<10
	if s.server.config.Transport == TransportSSE {
		return &mcp.SSEClientTransport{Endpoint: s.server.endpoint, HTTPClient: client, MaxEventSize: limit}
	}
	return &mcp.StreamableClientTransport{
		Endpoint: s.server.endpoint, HTTPClient: client, MaxEventSize: limit,
		MaxRetries: -1, DisableStandaloneSSE: true,
	}
}

// send is the sending middleware: it follows the handshake's own requests and
// keeps notifications/initialized for readiness. Lists and calls bring an
// exchange of their own.
func (s *session) send(next mcp.MethodHandler, onSend func()) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodInitialized:
			s.ready.send = func(onConn func()) error {
				return exchange(s.life, wire.ExchangeOptions{OnConn: func(bool) { onConn() }}, func(ctx context.Context) error {
					_, err := next(ctx, method, req)
					return err
				})
			}
			return nil, nil
		case methodInitialize, methodDiscover:
			var res mcp.Result
			o := wire.ExchangeOptions{OnConn: func(reused bool) { s.warm.Store(reused); onSend() }}
			if method == methodInitialize {
				o.Stub = s.cleanInitialize
			}
			err := exchange(ctx, o, func(ctx context.Context) (err error) {
				res, err = next(ctx, method, req)
				return err
			})
			return res, err
		case methodListen:
			// It is answered when it ends: not on the way of a connect.
			s.background.Add(1)
			spawn(func() {
				defer s.background.Done()
				_, _ = next(ctx, method, req)
			})
			return &mcp.SubscriptionsListenResult{}, nil
		}
		return next(ctx, method, req)
	}
}

func hasTools(c *mcp.ServerCapabilities) bool { return c != nil && c.Tools != nil }

// refuseRequests answers every request of the server but ping: the client has
// advertised nothing that it could be asked for.
func refuseRequests(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "ping" || strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the client does not offer " + method}
	}
}

// exchange runs one SDK request under an exchange and prefers what the exchange
// saw to what the SDK made of it.
func exchange(ctx context.Context, o wire.ExchangeOptions, do func(context.Context) error) error {
	ctx, ex := wire.NewExchange(ctx, o)
	defer ex.Close()
	err := do(ctx)
	if err == nil {
		return nil
	}
	if seen := ex.Err(); seen != nil {
		return seen
	}
	return err
}
