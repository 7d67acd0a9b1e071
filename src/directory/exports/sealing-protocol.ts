/** What the main thread says to the one that encrypts. */
export type ToSealer = { kind: 'next' } | { kind: 'rows'; bytes: Uint8Array | undefined }

/** And what that one answers: it wants rows, or has a piece of the file; the last one is undefined. */
export type FromSealer = { kind: 'want' } | { kind: 'piece'; bytes: Uint8Array | undefined }
