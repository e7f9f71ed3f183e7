package model

import (
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// base is what bindings that exist already have of a library; nil has everything.
type base map[string]*ledger.Symbol

func newBase(s Spec) base {
	if s.Base == nil {
		return nil
	}
	b := base{}
	for i := range s.Base.Symbols {
		if sym := &s.Base.Symbols[i]; sym.Library == s.Name && sym.Go != "" {
			b[string(sym.Kind)+" "+sym.Name] = sym
		}
	}
	return b
}

func (b base) has(kind ledger.Kind, name string) bool {
	return b == nil || b[string(kind)+" "+name] != nil
}

// hasRecord tells whether the record is there, with the same members.
func (b base) hasRecord(r *cparse.Record) bool {
	if b == nil || r.Name == "doca_data" {
		return true
	}
	for _, kind := range []ledger.Kind{ledger.Object, ledger.Struct, ledger.Union} {
		if s := b[string(kind)+" "+r.Name]; s != nil && (!r.Complete || strings.HasPrefix(s.C, r.Declaration())) {
			return true
		}
	}
	return false
}

// onlyOf drops the constants that the bindings do not have.
func (b base) onlyOf(l *Library) {
	if b == nil {
		return
	}
	l.Base = true
	var kept []*Constant
	for _, c := range l.Constants {
		if b.has(ledger.Macro, c.CName) && !c.Enumerator {
			kept = append(kept, c)
		}
	}
	l.Constants = kept
}
