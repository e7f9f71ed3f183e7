#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_
#define DOCA_USED __attribute__((used))
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED
#ifndef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL \
	__attribute__((deprecated("Symbol is defined as experimental"), \
		       section(".text.experimental"))) DOCA_STABLE
#else
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_STABLE
#endif
#define DOCA_DEPRECATED \
	__attribute__((deprecated("Symbol is defined as deprecated"), \
		       section(".text.deprecated"))) DOCA_STABLE
#endif
