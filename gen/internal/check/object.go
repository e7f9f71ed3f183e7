package check

import (
	"debug/elf"
	"fmt"
	"io"
)

// object is what the compiler made: constants by name, and how functions are linked.
type object struct {
	bytes map[string][]byte
	// linkage is "extern" for a symbol that is defined elsewhere, "local" for one of the file.
	linkage map[string]string
	order   func([]byte) uint64
}

// readObject reads the symbols of an ELF object file.
func readObject(path string) (*object, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the object file that the C compiler wrote: %w", err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	o := &object{bytes: map[string][]byte{}, linkage: map[string]string{}, order: f.ByteOrder.Uint64}
	for _, s := range symbols {
		switch {
		case s.Section == elf.SHN_UNDEF:
			o.linkage[s.Name] = "extern"
		case elf.ST_TYPE(s.Info) == elf.STT_FUNC:
			o.linkage[s.Name] = "local"
		case elf.ST_TYPE(s.Info) == elf.STT_OBJECT && int(s.Section) < len(f.Sections):
			b, err := content(f.Sections[s.Section], s.Value, s.Size)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, s.Name, err)
			}
			o.bytes[s.Name] = b
		}
	}
	return o, nil
}

func content(s *elf.Section, at, size uint64) ([]byte, error) {
	b := make([]byte, size)
	if s.Type == elf.SHT_NOBITS {
		return b, nil // zeros
	}
	_, err := io.ReadFull(io.NewSectionReader(s, int64(at), int64(size)), b)
	return b, err
}

// number is the value of a constant of 64 bits.
func (o *object) number(name string) (v uint64, ok bool) {
	b, ok := o.bytes[name]
	if !ok || len(b) != 8 {
		return 0, false
	}
	return o.order(b), true
}
