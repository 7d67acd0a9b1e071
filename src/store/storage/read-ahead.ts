/** How many pieces of some 150 to 350 kB a snapshot reads ahead of the stream, which holds one more. */
const piecesAhead = 3

type Piece = Uint8Array | undefined

/** Asks for pieces before they are wanted, so that reading goes on while the one before goes out. */
export function readAhead(ask: () => Promise<Piece>): () => Promise<Piece> {
  const asked: Promise<Piece>[] = []
  return () => {
    while (asked.length < piecesAhead) {
      const piece = ask()
      // Whoever takes the piece learns of its failure; one that is not taken any more concerns nobody.
      piece.catch(() => {})
      asked.push(piece)
    }
    return asked.shift() as Promise<Piece>
  }
}
