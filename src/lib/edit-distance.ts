/**
 * Returns how many characters must be inserted, deleted, replaced or swapped with their neighbour to turn one text into the
 * other (optimal string alignment). `most + 1` if more than `most`, which is known sooner.
 */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let [before, last, row] = b.length < reused[0].length ? reused : threeRows(b.length + 1)
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    row[0] = i
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let steps = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + Number(!isSame))
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      ) {
        steps = Math.min(steps, at(before, j - 2) + 1)
      }
      row[j] = steps
      if (steps < least) least = steps
    }
    // A swap continues from the row before.
    if (least > most + 1) return most + 1
    ;[before, last, row] = [last, row, before]
  }
  return Math.min(at(last, b.length), most + 1)
}

/** Rows for most texts: making them takes longer than comparing two words. */
const reused = threeRows(512)

function threeRows(length: number): [Uint16Array, Uint16Array, Uint16Array] {
  return [new Uint16Array(length), new Uint16Array(length), new Uint16Array(length)]
}

function at(row: Uint16Array, n: number): number {
  return row[n] as number
}
