// SPDX-License-Identifier: Apache-2.0

//go:build cgo

// Without cgo, package abi says what is missing. The go command would not get there if it found an import without files.

package measure

import (
	"context"
	"errors"

	"github.com/go-doca/go-doca/bench/cloop"
	"github.com/go-doca/go-doca/doca"
)

// copiesInC returns how many copies a second a loop in C makes: with a window of one, each is waited for. It returns 0 for a window of
// more tasks than a context has, as the loop has a task for each copy.
func (p Plan) copiesInC(ctx context.Context, size, window int) (rate float64, err error) {
	loop, err := cloop.NewDMA(window, window, size, cloop.FixedBufs)
	if errors.Is(err, doca.ErrInvalidValue) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, loop.Close()) }()
	run := loop.Run
	if window == 1 {
		run = loop.RunBlocking
	}
	rounds, seconds, err := p.rate(ctx, run)
	return float64(rounds*window) / seconds, err
}
