/**
 * How far a follower has come: the number of the last event it knows. A follower among compacted events also carries the
 * number up to which they were compacted when it started: later ends that it has not seen may have been left out since.
 */
export type Position = {
  seq: number
  base: number
  /** The beginning of the history's name. Undefined if it is not given. */
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

/** For clients that send the history's name separately. */
export function writePosition({ seq, base }: Position): string {
  return seq > 0 && seq < base ? `${seq}.${base}` : String(seq)
}

/** For browsers: when they reconnect, they send only the id of the last event. */
export function writeId(position: Position, feedId: string): string {
  return `${writePosition(position)}@${feedId.slice(0, historyLength)}`
}
