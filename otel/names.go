package mcpclientotel

import "go.opentelemetry.io/otel/attribute"

// Names of the OpenTelemetry semantic conventions for MCP, of status
// Development: docs/gen-ai/mcp.md (and, for keyToolCallID, the execute_tool span
// of docs/gen-ai/gen-ai-spans.md) in
// https://github.com/open-telemetry/semantic-conventions-genai as of commit
// 0393513c908bf895e7b3ec480a2c1eb073c584af. Names that start with mcpclient are
// this package's own, for what the conventions do not cover.

// Metrics, both histograms in seconds.
const (
	// metricOperationDuration is the conventions' for one tools/call.
	metricOperationDuration = "mcp.client.operation.duration"
	// metricConnectDuration is one server's attempt as a whole: credentials,
	// connect, handshake and all pages of its tools. The conventions know
	// single requests only.
	metricConnectDuration = "mcpclient.connect.duration"
)

// durationBuckets are the conventions' for durations of MCP operations.
var durationBuckets = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// Spans. That of a call is "tools/call {tool}".
const spanConnect = "mcpclient.connect"

// Values that the conventions fix.
const (
	methodToolsCall = "tools/call"
	operationTool   = "execute_tool"
	transportTCP    = "tcp"
	protocolHTTP    = "http"
	errorOther      = "_OTHER"
)

// Attributes of the conventions.
const (
	keyErrorType        = attribute.Key("error.type")
	keyMethod           = attribute.Key("mcp.method.name")
	keyProtocolVersion  = attribute.Key("mcp.protocol.version")
	keyOperation        = attribute.Key("gen_ai.operation.name")
	keyToolName         = attribute.Key("gen_ai.tool.name")
	keyToolCallID       = attribute.Key("gen_ai.tool.call.id")
	keyNetworkTransport = attribute.Key("network.transport")
	keyNetworkProtocol  = attribute.Key("network.protocol.name")
	keyServerAddress    = attribute.Key("server.address")
	keyServerPort       = attribute.Key("server.port")
	keyHTTPStatus       = attribute.Key("http.response.status_code")
	keyRPCStatus        = attribute.Key("rpc.response.status_code")
)

// Attributes of this package.
const (
	keySlug         = attribute.Key("mcpclient.server.slug")
	keyCallOutcome  = attribute.Key("mcpclient.call.outcome")
	keyAttempts     = attribute.Key("mcpclient.call.attempts")
	keyRenewed      = attribute.Key("mcpclient.call.session_renewed")
	keyBytesIn      = attribute.Key("mcpclient.call.bytes_received")
	keyBytesOut     = attribute.Key("mcpclient.call.bytes_sent")
	keyOutcome      = attribute.Key("mcpclient.connect.outcome")
	keyPhase        = attribute.Key("mcpclient.connect.phase")
	keyReused       = attribute.Key("mcpclient.connect.reused")
	keyToolCount    = attribute.Key("mcpclient.connect.tools")
	keyFiltered     = attribute.Key("mcpclient.connect.tools_filtered")
	keyDroppedCount = attribute.Key("mcpclient.connect.tools_dropped")
	keyTruncated    = attribute.Key("mcpclient.connect.tools_truncated")
)

// other stands in metrics for every server or tool beyond the limit.
const other = "other"
