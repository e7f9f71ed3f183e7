// Package bind is for authors of bindings: packages that add a DOCA library to package doca,
// as doca/dma and doca/comch do. Programs do not need it.
//
// A binding has two halves. The handle is what users hold; in most cases it embeds a
// [*doca.Context]. The inner object holds the state, and never refers to the handle: the
// garbage collector notices that a handle is lost, and package doca reports the leak.
//
// To bind a library:
//
//  1. Generate its raw functions from its headers with the command gen.
//  2. Fill in a [ContextConfig] with functions of the inner object, and call [NewContext].
//     Its function Create creates DOCA's object, sets its options and registers the tasks
//     and events. Keep the [Link] that Create gets.
//  3. For each operation, take the lock with [Link.Lock]. It returns a [*doca.StateError]
//     if the state of the context does not allow the operation.
//  4. Claim the buffers of the operation with a [Claim], or with a [Posting] if a peer
//     fills them. For ranges of memories, and for parts of what is larger than one task,
//     there are [Ranges].
//  5. Init a [Completion], submit the tasks, count them with [Link.Submitted], and call
//     [Link.Unlock]. The user waits with [Completion.Wait].
//  6. In the function Handle, look at the records of what has ended. Call [Link.Finished],
//     [Claim.End] and [Completion.Complete]. If a failure stops the context, call
//     [Link.Faulted] with the reason.
//  7. In the function Release, free the tasks. In the function Destroy, destroy DOCA's
//     object. Package doca calls both at the right time.
//
// An object that is no context, such as a connection, gets its place in the ownership tree
// from [NewChild]. RawDevice and its kind return the DOCA objects behind those of package
// doca; [WithDevinfo] does so for capability queries. Report failures as [*doca.OpError].
//
// docs/binding.md in the repository goes through these steps with a binding that is complete,
// examples/sha.
package bind
