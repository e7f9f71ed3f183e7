package closeerror

import (
	"context"
	"io"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

type both interface {
	Close() error
	Shutdown(ctx context.Context) error
}

type wrapper struct{ *dma.DMA }

type own struct{ dev *doca.Device }

func (o own) Close() error { return o.dev.Close() }

func bad(dev *doca.Device, b both, w wrapper) {
	dev.Close()                        // want `the error of doca.Device.Close is dropped`
	dev.Shutdown(context.Background()) // want `the error of doca.Device.Shutdown is dropped`
	b.Close()                          // want `the error of closeerror.both.Close is dropped`
	w.Close()                          // want `Close is dropped`
	go dev.Close()                     // want `Close is dropped`
}

func good(dev *doca.Device, c io.Closer, f *os.File, o own) error {
	defer dev.Close()
	defer func() { dev.Close() }()
	_ = dev.Close()
	c.Close()
	f.Close()
	o.Close()
	if err := dev.Close(); err != nil {
		return err
	}
	return dev.Shutdown(context.Background())
}
