/** The option `--limit`. */
import { InvalidArgumentError } from 'commander'

export async function* firstOf<T>(rows: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let count = 0
  for await (const row of rows) {
    yield row
    count += 1
    if (count === limit) return
  }
}

export function readLimit(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, 1 or more.')
}
