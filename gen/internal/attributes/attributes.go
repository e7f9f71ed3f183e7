// Package attributes has the attributes of an application for the DPA: the blob that dpa-app-attributes2blob makes of a
// YAML file, and dpacc takes.
package attributes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A blob is the magic, the length of the text and its checksum as 32-bit numbers in little-endian order, and the text: the
// YAML file as it was.
const (
	magic  = "EMUDPA1\n"
	header = len(magic) + 8
)

// Convert makes a blob of a YAML file. The file is a mapping; what is wrong with it is an error that names the line.
func Convert(yamlFile, blobFile string) error {
	text, err := os.ReadFile(yamlFile)
	if err != nil {
		return err
	}
	if err := validate(text); err != nil {
		return fmt.Errorf("%s: %w", yamlFile, err)
	}
	blob := []byte(magic)
	blob = binary.LittleEndian.AppendUint32(blob, uint32(len(text)))
	blob = binary.LittleEndian.AppendUint32(blob, crc32.ChecksumIEEE(text))
	return os.WriteFile(blobFile, append(blob, text...), 0o644)
}

// Check reads a blob. An error says what to do.
func Check(blobFile string) error {
	blob, err := os.ReadFile(blobFile)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(blob, []byte(magic)) || len(blob) < header {
		return fmt.Errorf("%s is no blob of attributes: make it with dpa-app-attributes2blob", blobFile)
	}
	text := blob[header:]
	size, sum := binary.LittleEndian.Uint32(blob[len(magic):]), binary.LittleEndian.Uint32(blob[len(magic)+4:])
	if int(size) != len(text) || sum != crc32.ChecksumIEEE(text) {
		return fmt.Errorf("%s is damaged: make it again with dpa-app-attributes2blob", blobFile)
	}
	if err := validate(text); err != nil {
		return fmt.Errorf("%s: %w", blobFile, err)
	}
	return nil
}

// validate refuses what is no list of attributes. The emulator has no features, so it takes none.
func validate(text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return errors.New("the file is empty")
	case err != nil:
		return err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("the file has more than one document")
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want a mapping of attributes", root.Line)
	}
	return mapping(root)
}

func mapping(node *yaml.Node) error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if seen[key.Value] {
			return fmt.Errorf("line %d: %s is there twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		if value.Kind == yaml.MappingNode {
			if err := mapping(value); err != nil {
				return err
			}
		}
		if !strings.Contains(strings.ToLower(key.Value), "feature") {
			continue
		}
		empty := len(value.Content) == 0 && (value.Kind == yaml.SequenceNode || value.Kind == yaml.MappingNode || value.Tag == "!!null")
		switch {
		case empty:
		case value.Kind == yaml.SequenceNode || value.Kind == yaml.MappingNode:
			return fmt.Errorf("line %d: the emulator has no feature %q: leave %s empty", value.Content[0].Line, value.Content[0].Value, key.Value)
		default:
			return fmt.Errorf("line %d: %s is not a list", value.Line, key.Value)
		}
	}
	return nil
}
