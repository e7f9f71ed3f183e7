package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// store is the server's directory of files.
type store struct {
	dir  string
	sync bool
}

// file is the file of one client.
type file struct {
	*os.File
	sync   bool
	lines  uint64
	buffer bytes.Buffer // lines that were added and are not written
}

// open opens the file of an id and counts its lines. A line that a killed server has begun to write is cut off:
// its client has kept it.
func (s *store) open(id string) (_ *file, err error) {
	f, err := os.OpenFile(filepath.Join(s.dir, id+".log"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	out := &file{File: f, sync: s.sync}
	var end, size int64
	part := make([]byte, 64<<10)
	for {
		n, err := f.Read(part)
		out.lines += uint64(bytes.Count(part[:n], []byte("\n")))
		if last := bytes.LastIndexByte(part[:n], '\n'); last >= 0 {
			end = size + int64(last) + 1
		}
		size += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	_, err = f.Seek(end, io.SeekStart)
	return out, err
}

// add adds a line.
func (f *file) add(line []byte) {
	f.buffer.Write(line)
	f.buffer.WriteByte('\n')
	f.lines++
}

// write writes what was added.
func (f *file) write() error {
	_, err := f.buffer.WriteTo(f.File)
	if err == nil && f.sync {
		err = f.Sync()
	}
	return err
}
