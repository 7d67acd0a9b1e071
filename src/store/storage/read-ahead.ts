/** How many chunks of some 150 to 350 kB a snapshot reads ahead of the stream, which holds one more. */
const piecesAhead = 3

type Piece = Uint8Array | undefined

/** Requests chunks early, so that reading continues while the previous chunk is sent. */
export function readAhead(readPiece: () => Promise<Piece>): () => Promise<Piece> {
  const requested: Promise<Piece>[] = []
  return () => {
    while (requested.length < piecesAhead) {
      const piece = readPiece()
      // The consumer of the chunk gets its failure; without a consumer it does not matter.
      piece.catch(() => {})
      requested.push(piece)
    }
    return requested.shift() as Promise<Piece>
  }
}
