// Package fake has loopback fakes of the HTTP APIs of model providers, for
// tests of what is sent to them.
//
// Each fake accepts what the real API accepts, answers by script, with and
// without streaming, and refuses with status 400 what the real API is known to
// refuse: one bad tool, one unanswered call or one bad image makes a real API
// refuse the whole conversation, so that is what a client must never send.
// Rules that are not documented by the providers name a public report.
//
// Only tests import this package. It knows neither fantasy nor MCP.
package fake
