/** How many chunks of some 150 to 350 kB a snapshot reads ahead of the stream, which holds one more. */
const piecesAhead = 3

type Piece = Uint8Array | undefined

/** Requests chunks early, so that reading continues while the previous chunk is sent. */
export function readAhead(ask: () => Promise<Piece>): () => Promise<Piece> {
  const asked: Promise<Piece>[] = []
  return () => {
    while (asked.length < piecesAhead) {
      const piece = ask()
      // The consumer of the chunk gets its failure; without a consumer it does not matter.
      piece.catch(() => {})
      asked.push(piece)
    }
    return asked.shift() as Promise<Piece>
  }
}
