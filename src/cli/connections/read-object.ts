import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { UsageError } from '../terminal/failure.ts'

/** Reads one JSON object from a file, or from standard input. */
export async function readObject(file: string): Promise<Record<string, unknown>> {
  const content = file === '-' ? await readAll(process.stdin) : readFileSync(file, 'utf8')
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (cause) {
    throw new UsageError(`${file === '-' ? 'Standard input' : file} is not JSON.`, { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new UsageError('The file must have one JSON object.')
}
