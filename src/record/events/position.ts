/**
 * How far a follower has come: the number of the last event they know. Who is among events that have been compacted also
 * says up to which number these were when they began: ends that they have not yet heard of may be left out since.
 */
export type Position = {
  seq: number
  base: number
  /** How the name of the history begins. Undefined: it is not said. */
  history?: string | undefined
}

export const beginning: Position = { seq: 0, base: 0 }

const historyLength = 8

/** `5`, `5.9`, or with the history `5.9@3b1f8c52`. */
export function readPosition(text: string): Position | undefined {
  const [, seq, base, history] = /^(\d{1,16})(?:\.(\d{1,16}))?(?:@([0-9a-f]{8}))?$/.exec(text) ?? []
  const position = { seq: Number(seq), base: Number(base ?? 0), history }
  return Number.isSafeInteger(position.seq) && Number.isSafeInteger(position.base) ? position : undefined
}

/** For those who say the name of the history beside it. */
export function writePosition({ seq, base }: Position): string {
  return seq > 0 && seq < base ? `${seq}.${base}` : String(seq)
}

/** For browsers: when they come again, the id of the last event is all that they send. */
export function writeId(position: Position, feedId: string): string {
  return `${writePosition(position)}@${feedId.slice(0, historyLength)}`
}
