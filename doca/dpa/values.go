package dpa

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Place allocates memory on the DPA for a value, such as the struct of arguments of a thread, and copies it there. T is a type
// without pointers: code on the DPA does not see the memory of the host. Errors: ErrInvalidValue if T has pointers or no size; and those
// of [DPA.Alloc] and [Memory.WriteAt].
func Place[T any](d *DPA, value T) (*Memory, error) {
	if err := plain[T]("place", d.String()); err != nil {
		return nil, err
	}
	m, err := d.Alloc(int(unsafe.Sizeof(value)))
	if err != nil {
		return nil, err
	}
	if err := Put(m, 0, value); err != nil {
		_ = m.Close() // the first error says more
		return nil, err
	}
	return m, nil
}

// Put copies values to a memory, one behind the other, from offset off on. T is a type without pointers. Errors: ErrInvalidValue if T has pointers
// or no size; and those of [Memory.WriteAt].
func Put[T any](m *Memory, off int, values ...T) error {
	if err := plain[T]("put", m.String()); err != nil {
		return err
	}
	_, err := m.WriteAt(bytesOf(values), int64(off))
	return err
}

// Get returns the value at offset off of a memory. T is a type without pointers. Errors: ErrInvalidValue if T has pointers or no size, or the memory
// ends before the value; and those of [Memory.ReadAt].
func Get[T any](m *Memory, off int) (T, error) {
	values, err := GetSlice[T](m, off, 1)
	if err != nil {
		var none T
		return none, err
	}
	return values[0], nil
}

// GetSlice returns n values that are one behind the other in a memory, from offset off on. Errors are those of [Get], and ErrInvalidValue if
// n is negative.
func GetSlice[T any](m *Memory, off, n int) ([]T, error) {
	if err := plain[T]("get", m.String()); err != nil {
		return nil, err
	}
	var one T
	if n < 0 || off < 0 || off > m.Len() || n > (m.Len()-off)/int(unsafe.Sizeof(one)) {
		if m == nil || m.o == nil {
			return nil, noMemory("get")
		}
		return nil, wrong("get", m.o.name, "no %d values of %d bytes at offset %d: it has %d bytes", n, unsafe.Sizeof(one), off, m.Len())
	}
	values := make([]T, n)
	_, err := m.ReadAt(bytesOf(values), int64(off))
	return values, err
}

func bytesOf[T any](values []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(one)))
}

// plain returns an error if values of a type cannot be copied as bytes.
func plain[T any](op, object string) error {
	typ := reflect.TypeFor[T]()
	if typ.Size() == 0 {
		return wrong(op, object, "%v has no size", typ)
	}
	if where := pointer(typ, "it"); where != "" {
		return wrong(op, object, "%v cannot be copied to the DPA: %s", typ, where)
	}
	return nil
}

// pointer says where a type has something of Go's memory; it returns "" if it has nothing.
func pointer(typ reflect.Type, name string) string {
	switch typ.Kind() {
	case reflect.Array:
		return pointer(typ.Elem(), name)
	case reflect.Struct:
		for i := range typ.NumField() {
			f := typ.Field(i)
			if where := pointer(f.Type, f.Name); where != "" {
				return where
			}
		}
		return ""
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return ""
	}
	return fmt.Sprintf("%s is of kind %v: use integers of fixed size, and addresses of the DPA", name, typ.Kind())
}
