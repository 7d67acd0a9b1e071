/** Messages from the main thread to the encrypting one. */
export type ToSealer = { kind: 'next' } | { kind: 'rows'; bytes: Uint8Array | undefined }

/** Messages back: a request for rows, or a chunk of the file; undefined is its end. */
export type FromSealer = { kind: 'want' } | { kind: 'piece'; bytes: Uint8Array | undefined }
