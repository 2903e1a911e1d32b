package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// machine is what the figures were measured on, and with.
type machine struct {
	system                string
	versions              []string
	loadBefore, loadAfter string
}

func describe() machine {
	m := machine{
		system:     fmt.Sprintf("%s, %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		loadBefore: load(),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, d := range info.Deps {
		switch d.Path {
		case "github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go", "charm.land/fantasy":
			m.versions = append(m.versions, d.Path+" "+d.Version)
		}
	}
	return m
}

// load is the system's load average over a minute, where it tells.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := strings.Cut(string(text), " ")
	return cmp.Or(one, "unknown")
}
