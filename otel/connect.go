package mcpclientotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpclient-go/mcpclient"
)

// onConnect records every attempt and tells the caller's own hook of it, also
// where recording fails.
func (t *Telemetry) onConnect(known map[serverID]server, told func(context.Context, mcpclient.ConnectSummary)) func(context.Context, mcpclient.ConnectSummary) {
	return func(ctx context.Context, c mcpclient.ConnectSummary) {
		if told != nil {
			defer told(ctx, c)
		}
		t.connected(ctx, known[serverID{c.ConfigID, c.Slug}], c)
	}
}

// connected records an attempt that has just ended. One that a warm session
// saved is counted, and is no span: nothing has happened.
func (t *Telemetry) connected(ctx context.Context, s server, c mcpclient.ConnectSummary) {
	took := time.Duration(c.DurationMS) * time.Millisecond
	failure := connectError(c.Outcome)
	if !c.Reused {
		ended := time.Now()
		var span trace.Span
		ctx, span = t.tracer.Start(ctx, spanConnect, trace.WithTimestamp(ended.Add(-took)),
			trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(s.attributes()...))
		defer span.End(trace.WithTimestamp(ended))
		span.SetAttributes(connectAttributes(c)...)
		if failure != "" {
			span.SetAttributes(keyErrorType.String(failure))
			span.SetStatus(codes.Error, c.Error)
		}
	}

	list := append(t.limited(s).attributes(), keyOutcome.String(string(c.Outcome)), keyReused.Bool(c.Reused))
	if failure != "" {
		list = append(list, keyErrorType.String(failure))
	}
	if c.Phase != "" {
		list = append(list, keyPhase.String(c.Phase))
	}
	t.connects.Record(ctx, took.Seconds(), metric.WithAttributes(list...))
}

func connectAttributes(c mcpclient.ConnectSummary) []attribute.KeyValue {
	list := []attribute.KeyValue{
		keyOutcome.String(string(c.Outcome)),
		keyToolCount.Int(c.ToolCount),
		keyFiltered.Int(c.Filtered),
		keyDroppedCount.Int(c.DroppedCount),
		keyTruncated.Bool(c.Truncated),
	}
	if c.Phase != "" {
		list = append(list, keyPhase.String(c.Phase))
	}
	if c.Protocol != "" {
		list = append(list, keyProtocolVersion.String(c.Protocol))
	}
	if c.HTTPStatus != 0 {
		list = append(list, keyHTTPStatus.Int(c.HTTPStatus))
	}
	return list
}

// connectError is the error.type of an outcome, "" for one that is none.
func connectError(o mcpclient.ConnectOutcome) string {
	switch o {
	case mcpclient.ConnectOutcomeConnected, mcpclient.ConnectOutcomeNoTools:
		return ""
	case mcpclient.ConnectOutcomeError:
		return errorOther
	}
	return string(o)
}
