package doxygen

import "testing"

// Shapes of comments that headers have in large numbers: what they say is kept, in its place, and phrases that say nothing go.
func TestStockPhrases(t *testing.T) {
	const plain = "Copy starts it."
	note := "Copy starts it.\n\nNote: It is slow.\n\nThe copy is queued."
	noRoom := plain + "\n\nErrors:\n  - [abi.ErrorNoMemory]: no room."
	always := plain + "\n\nThe error is always nil."
	testDocs(t, []docCase{
		{"lines", "@brief Starts it.\n@return\nDOCA_SUCCESS - in case of success.\nError code - in case of failure.", plain},
		{"lines and a list", "@brief Starts it.\n@return\nDOCA_SUCCESS - in case of success\nError code - in case of failure:\n- DOCA_ERROR_NO_MEMORY - no room.", noRoom},
		{"a list", "@brief Starts it.\n@return\n- DOCA_SUCCESS - in case of success\n- Error code - in case of failure", plain},
		{"a list is announced", "@brief Starts it.\n@return DOCA_SUCCESS - in case of success.\ndoca_error code - in case of failure. Typical error codes for this function include:\n- DOCA_ERROR_NO_MEMORY - no room.", noRoom},
		{"announced with a full stop", "@brief Starts it.\n@return\nDOCA_SUCCESS - in case of success.\nTypical error codes for this function include.\nDOCA_ERROR_NO_MEMORY - no room", noRoom},
		{"possible errors", "@brief Starts it.\n@return DOCA_SUCCESS on success. Possible error codes are:\n- DOCA_ERROR_NO_MEMORY - no room", noRoom},
		{"announced in the text", "@brief Starts it.\n\nTypical error codes for this function include:\n@return DOCA_SUCCESS", plain},
		{"only the failure", "@brief Starts it.\n@return Error code - in case of failure", plain},
		{"always behind", "@brief Starts it.\n@return DOCA_SUCCESS always.", always},
		{"always in front", "@brief Starts it.\n@return always DOCA_SUCCESS.", always},
		{"always, as a sentence", "@brief Starts it.\n@return This function always returns DOCA_SUCCESS.", always},
		{"no value", "@brief Starts it.\n@return This function does not return any value.", plain},
		{"no value, positive", "@brief Starts it.\n@return This function returns no value", plain},
		{"void", "@brief Starts it.\n@return void", plain},
		{"none", "@brief Starts it.\n@return None.", plain},
		{"nothing", "@brief Starts it.\n@return nothing", plain},
		{"no error", "@brief Starts it.\n@return This function does not return an error.", plain},
		{"a note stays in front", "@brief Starts it.\n\n@note it is slow.\n\nThe copy is queued.", note},
		{"a note stays behind", "@brief Starts it.\n\nThe copy is queued.\n\n@note it is slow.", "Copy starts it.\n\nThe copy is queued.\n\nNote: It is slow."},
		{"what is said stays", "@brief Starts it.\n@return DOCA_SUCCESS on success. The copy may still fail.", plain + "\n\nOn success: the copy may still fail."},
		{"a sentence about errors stays", "@brief Starts it.\n\nTypical error codes for this function include those of the network.", plain + "\n\nTypical error codes for this function include those of the network."},
	})
}
