package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const owned = `
struct doca_hub; struct doca_port; struct doca_hub_event_msg;
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);
struct doca_ctx *doca_hub_as_ctx(struct doca_hub *hub);
typedef void (*doca_hub_msg_cb_t)(struct doca_hub_event_msg *event, uint8_t *bytes, uint32_t len, struct doca_port *port);
doca_error_t doca_hub_event_msg_register(struct doca_hub *hub, doca_hub_msg_cb_t cb);
`

// A callback that is not given the user data of its context finds the context by an object.
func TestCtxPath(t *testing.T) {
	t.Parallel()
	getter := "struct doca_hub *doca_port_get_hub(const struct doca_port *port);\n"
	for _, c := range []struct {
		name, more string
		want       *CtxPath
	}{
		{"a getter of the owner", getter, &CtxPath{"doca_port", "doca_port_get_hub", "doca_hub_as_ctx", "doca_ctx_get_user_data"}},
		{"none", "", nil},
		{"of another owner", "struct doca_x *doca_port_get_x(const struct doca_port *port);\n", nil},
		{"not of the object", "struct doca_hub *doca_x_get_hub(const struct doca_x *x);\n", nil},
		{"one that may change the object", "struct doca_hub *doca_port_open(struct doca_port *port);\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			lib := build(t, owned+c.more)
			require.Len(t, lib.Callbacks, 1)
			assert.Equal(t, c.want, lib.Callbacks[0].Ctx, c.name)
		})
	}
}

// Where the callback is given user data, that is used.
func TestNoCtxPath(t *testing.T) {
	t.Parallel()
	lib := build(t, owned+`struct doca_hub *doca_port_get_hub(const struct doca_port *port);
typedef void (*doca_hub_state_cb_t)(const union doca_data user_data, struct doca_port *port);
doca_error_t doca_hub_set_state_cb(struct doca_hub *hub, doca_hub_state_cb_t cb);
doca_error_t doca_set_port_cb(doca_hub_msg_cb_t cb);`)
	require.Len(t, lib.Callbacks, 3)
	assert.NotNil(t, lib.Callbacks[0].Ctx)
	assert.Nil(t, lib.Callbacks[1].Ctx)
	assert.Nil(t, lib.Callbacks[2].Ctx)
}

// Disconnecting runs callbacks: it takes a ring.
func TestWhatMayCallBack(t *testing.T) {
	t.Parallel()
	lib := build(t, `doca_error_t doca_x_disconnect(struct doca_x *x);
doca_error_t doca_x_connect(struct doca_x *x);
doca_error_t doca_x_stop(struct doca_x *x);`)
	rings := map[string]bool{}
	for _, f := range lib.Funcs {
		rings[f.CName] = f.Ring
	}
	assert.Equal(t, map[string]bool{"doca_x_disconnect": true, "doca_x_connect": false, "doca_x_stop": true}, rings)
}
