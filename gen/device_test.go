package main

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/emit"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dpadev"
)

// The package of a device's library has no Go functions to call; its documentation has each C function with its
// prototype.
func TestDeviceFunctionsAreListed(t *testing.T) {
	t.Parallel()
	for sdk, least := range map[string]int{"testdata/2.2": 1, "testdata/2.5": 1, reference: 74} {
		t.Run(filepath.Base(sdk), func(t *testing.T) {
			t.Parallel()
			m, err := (&source{sdk: sdk}).read()
			require.NoError(t, err)
			files, err := emit.Generate(m, emit.Options{Path: "example.com/generated"})
			require.NoError(t, err)
			for _, l := range m.Libraries {
				if l.Name != "dpadev" {
					continue
				}
				assert.Empty(t, l.Funcs)
				assert.GreaterOrEqual(t, len(l.DeviceFuncs), least)
				doc, _, _ := strings.Cut(string(files["dpadev/library.go"]), "\npackage dpadev\n")
				for _, f := range l.DeviceFuncs {
					assert.Regexp(t, `\n// `+f.CName+`[ :]`, doc, "what it does")
					assert.Regexp(t, `\n//\t[^\n]*\b`+f.CName+`\(`, doc, "the prototype")
				}
				assert.NotContains(t, string(files["dpadev/library.go"]), "Register")
				for name, text := range files {
					if strings.HasPrefix(name, "dpadev/") {
						assert.NotContains(t, string(text), "library.Load()", name)
					}
				}
			}
		})
	}
}

// A handle of one kind cannot be passed as one of another.
func TestHandlesAreTypes(t *testing.T) {
	t.Parallel()
	var types []reflect.Type
	for _, v := range []any{
		dpadev.DPADev(0), dpadev.Uintptr(0), dpadev.HashTable(0), dpadev.Completion(0), dpadev.CompletionElement(0), dpadev.AsyncOps(0),
		dpadev.NotificationCompletion(0), dpadev.Buf(0), dpadev.RDMA(0), dpadev.SyncEvent(0), dpadev.SyncEventRemoteNet(0),
		dpadev.ComchConsumer(0), dpadev.ComchConsumerCompletion(0), dpadev.ComchConsumerCompletionElement(0), dpadev.ComchProducer(0),
		dpadev.DevemuPCIDb(0), dpadev.DevemuPCIDbCompletion(0), dpadev.DevemuPCIDbCompletionElement(0), dpadev.DevemuPCIMSIX(0),
		common.DPADevMmap(0), common.DPADevBufArr(0), uint32(0), uint64(0),
	} {
		types = append(types, reflect.TypeOf(v))
	}
	for i, a := range types {
		for _, b := range types[:i] {
			assert.False(t, a.AssignableTo(b), "%s as %s", a, b)
		}
	}
}
