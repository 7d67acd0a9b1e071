import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../core/errors.ts'

/**
 * Reads a file, or all JSON files of a directory in turn. Files of a Keycloak directory export come in the required order:
 * the realm with its groups first, then the users.
 */
export async function* inputFrom(path: string): AsyncGenerator<Uint8Array> {
  if (!(await stat(path)).isDirectory()) {
    yield* createReadStream(path)
    return
  }
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort(byPlace)
  if (names.length === 0) throw new OperatorError(`The directory ${path} has no JSON files.`)
  for (const name of names) {
    yield* createReadStream(join(path, name))
    yield Buffer.from('\n')
  }
}

function byPlace(a: string, b: string): number {
  const place = (name: string): number => (name.endsWith('-realm.json') ? 0 : 1)
  return place(a) - place(b) || a.localeCompare(b, 'en', { numeric: true })
}
