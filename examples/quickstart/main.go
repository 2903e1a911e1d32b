// Command quickstart shows mcpclient at work.
//
// Without flags it needs no network and no key: it starts MCP servers in its
// own process, good and bad ones, connects to all of them, lets an agent with a
// scripted model use their tools, cleans up, and measures what is left.
//
// With -steps it connects to the same servers many times, on a Pool, and shows
// the first step beside those that follow.
//
// With -config it connects to the servers of an mcpServers file instead: it
// lists their tools, or calls one of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cdr.dev/slog/v3"
	"cdr.dev/slog/v3/sloggers/slogjson"
)

// Exit codes.
const (
	exitOK          = 0
	exitToolError   = 1   // the tool answered with an error
	exitFailed      = 2   // a wrong flag or file, or nothing to call
	exitInterrupted = 130 // as a shell reports Ctrl-C
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in good order; a second one ends the process.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// app is one run of the command.
type app struct {
	config  string
	call    string
	args    string
	timeout time.Duration // zero: the mode's own
	steps   int           // zero: one, without a pool
	logger  slog.Logger
	lookup  func(name string) (value string, ok bool) // environment variables
	out     io.Writer
	err     io.Writer
}

func run(ctx context.Context, args []string, lookup func(string) (string, bool), out, errOut io.Writer) int {
	a, err := parse(args, lookup, out, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	code := exitFailed
	switch {
	case err != nil:
	case a.steps > 0:
		err = a.stepsDemo(ctx)
		code = exitOK
	case a.config == "":
		err = a.demo(ctx)
		code = exitOK
	default:
		code, err = a.remote(ctx)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(errOut, "interrupted")
		return exitInterrupted
	}
	if err != nil {
		fmt.Fprintf(errOut, "quickstart: %v\n", err)
		return exitFailed
	}
	return code
}

func parse(args []string, lookup func(string) (string, bool), out, errOut io.Writer) (*app, error) {
	a := &app{lookup: lookup, out: out, err: errOut}
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run prints errors, once
	flags.StringVar(&a.config, "config", "", "connect to the servers of this mcpServers `file` instead of the demo's")
	flags.StringVar(&a.call, "call", "", "call the tool with this `name`, as the list shows it (needs -config)")
	flags.StringVar(&a.args, "args", "{}", "the arguments of -call, a `JSON` object")
	flags.DurationVar(&a.timeout, "timeout", 0, "the `duration` that one server may take to connect (default 10s with -config, 1.5s without)")
	flags.IntVar(&a.steps, "steps", 0, "run this `number` of the demo's steps on a pool, at least 2, and compare the first with the others")
	verbose := flags.Bool("v", false, "log to standard error")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			flags.SetOutput(out)
			fmt.Fprintln(out, "usage: quickstart [-v] [-timeout D] [-steps N | -config FILE [-call NAME [-args JSON]]]")
			flags.PrintDefaults()
			return nil, err
		}
		return nil, fmt.Errorf("%w; see -help", err)
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	case given["config"] && a.config == "":
		return nil, errors.New("-config is empty; give it the path of a file")
	case given["call"] && a.config == "":
		return nil, errors.New("-call needs -config with the file that names the servers")
	case given["args"] && a.call == "":
		return nil, errors.New("-args needs -call with the name of a tool")
	case given["steps"] && given["config"]:
		return nil, errors.New("-steps is for the demo's own servers; leave -config out")
	case given["steps"] && a.steps < 2:
		return nil, errors.New("-steps needs at least 2: one step, and one that follows")
	case a.timeout < 0:
		return nil, errors.New("-timeout is negative; give a duration such as 5s")
	}
	if *verbose {
		a.logger = slog.Make(slogjson.Sink(errOut)).Leveled(slog.LevelDebug)
	}
	return a, nil
}
