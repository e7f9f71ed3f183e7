/* Names with letters that are not those of ASCII, and dollar signs. */
struct doca_dma_été;
struct doca_dma_été2 { uint32_t größe; struct doca_dma_été *naïve; };
struct doca_dma_a$b;
enum doca_dma_ü { DOCA_DMA_Ü_Ä = 3 };
doca_error_t doca_dma_take(struct doca_dma_été *é, struct doca_dma_été2 *x, enum doca_dma_ü ü);
doca_error_t doca_dma_élan(struct doca_dma_été *éuint8_t, uint32_t *größe);
doca_error_t doca_dma_money(struct doca_dma_a$b *x);
static inline uint32_t doca_dma_sum(uint32_t größe, uint32_t éa) { uint32_t ö = größe; return ö + éa; }
typedef void (*doca_dma_é_cb_t)(struct doca_dma_été *é, union doca_data ctx_user_data);
doca_error_t doca_dma_été_register(struct doca_dma *dma, doca_dma_é_cb_t cb);
