package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A struct that two headers declare with different members is bound from neither, and that is said of each; one that they spell in
// two ways, with the same members, is bound.
func TestClashingRecords(t *testing.T) {
	t.Parallel()
	sdk := t.TempDir()
	require.NoError(t, os.CopyFS(sdk, os.DirFS(reference)))
	require.NoError(t, os.CopyFS(sdk, os.DirFS("testdata/clash")))
	dir := filepath.Join(t.TempDir(), "out")
	status, said, errOut := gen("generate", "-sdk", sdk, "-out", dir, "-base", "none", "-libs", "common,pcc,pccdev")
	require.Zero(t, status, errOut)
	assert.Contains(t, said, "pccdev: bound 6, skipped 9\n")
	skipped, err := os.ReadFile(filepath.Join(dir, "api", "skipped.txt"))
	require.NoError(t, err)
	const bf3, cx8 = "doca_pcc_dev_data_structure_le_bf3.h", "doca_pcc_dev_data_structure_le_cx8.h"
	for _, header := range []string{bf3, cx8} {
		for record, line := range map[string]string{"struct | doca_pcc_dev_attr": ":7", "union | doca_pcc_dev_ev_t": ":6"} {
			assert.Contains(t, string(skipped), header+" | "+record+" | "+bf3+line+" and "+cx8+line+" give it different members")
		}
	}
	assert.Contains(t, string(skipped), bf3+" | struct | doca_pcc_dev_holder | ")
	files, err := filepath.Glob(filepath.Join(dir, "pccdev", "*.go"))
	require.NoError(t, err)
	var types []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, "type "); ok {
				types = append(types, strings.Fields(name)[0])
			}
		}
	}
	assert.Equal(t, []string{"Old", "Same", "New"}, types)
	// An enumerator that two enumerations have would have the type of one of them.
	for _, header := range []string{bf3, cx8} {
		assert.Contains(t, string(skipped), header+" | enumerator | DOCA_PCC_DEV_SHARED | "+bf3+":10 and "+cx8+":9 both have it, in enum doca_pcc_dev_old (1) and enum doca_pcc_dev_new (2): a program includes one of the two")
		assert.Contains(t, string(skipped), header+" | enumerator | DOCA_PCC_DEV_ALIKE | ", "of the same value, but not of the same type")
	}
	// The ledger has both declarations, so that a comparison sees what changes in either.
	ledger, err := os.ReadFile(filepath.Join(dir, "api", "3.0.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(ledger), " | enum doca_pcc_dev_old: 1 or in "+cx8+": enum doca_pcc_dev_new: 2\n")
	assert.Contains(t, string(ledger), "const OnlyOld Old | enum doca_pcc_dev_old: 2\n")
	assert.Regexp(t, `\| doca_pcc_dev_attr \| struct \| .*struct doca_pcc_dev_attr \{ .* or in `+cx8+`: struct doca_pcc_dev_attr \{`, string(ledger))
	cmd := exec.Command("go", "vet", "./pcc", "./pccdev")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, string(out))
	status, said, _ = gen("check", "-sdk", sdk, "-bindings", dir)
	assert.Zero(t, status, said)
}
