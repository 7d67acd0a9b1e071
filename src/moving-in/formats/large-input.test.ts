/**
 * Inputs of one endless piece, read in a thread with little memory, which ends the thread when it is used up. It belongs to test:rest: it
 * repeats for each format what the readers bound, at full size.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { OperatorError } from '../../core/errors.ts'
import { type SourceName, sources } from './index.ts'

const mebibyte = 1024 * 1024
const options = { now: new Date('2025-12-01T00:00:00.000Z'), mapping: '{"members": {"username": "username"}}' }
const columns = 'username,email\n'

const inputs: [name: string, source: SourceName, start: string, filling: string][] = [
  ['a row of commas', 'csv', columns, ','],
  ['a header of cells', 'csv', '', 'a,'],
  ['an open quote', 'csv', `${columns}"`, 'a'],
  ['doubled quotes', 'csv', `${columns}"`, '""'],
  ['a row of commas', 'firebase', '', ','],
  ['brackets', 'json', '', '['],
  ['nested objects', 'keycloak', '', '{"users":'],
  ['a list in a user', 'keycloak', '{"users":[{"a":[', '1,'],
  ['a text', 'json', '[{"a":"', 'a'],
  ['a line', 'json', '{"username":"a"}\n', 'a'],
  ['a list of roles', 'keycloak', '{"roles":[', '{},'],
  ['an attribute with many values', 'ldif', 'dn: cn=a\n', 'objectClass: x\n'],
  ['an attribute on many lines', 'ldif', 'dn: cn=a\nuid: a\n', ' aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'],
  ['a value without end', 'ldif', 'dn: cn=a\nuid: ', 'a'],
  ['a comment', 'supabase', '/* ', 'a'],
  ['a statement', 'supabase', 'CREATE ', 'a '],
  ['a row', 'supabase', 'COPY auth.users (id) FROM stdin;\n', 'a\t'],
]

async function read(n: number): Promise<string> {
  const [, source, start, filling] = inputs[n] as (typeof inputs)[number]
  const piece = Buffer.from(filling.repeat(Math.ceil((64 * 1024) / filling.length)))
  async function* input() {
    yield Buffer.from(start)
    for (let sent = 0; sent < 40 * mebibyte; sent += piece.length) yield piece
  }
  let rows = 0
  try {
    for await (const _ of sources[source].read(input(), options)) rows++
    return `${rows} rows`
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return 'refused'
  }
}

if (!isMainThread && typeof workerData?.input === 'number') parentPort?.postMessage(await read(workerData.input))
else
  describe('an input with a piece that does not end', () => {
    for (const [n, [name, source]] of inputs.entries()) {
      it(`is refused before it is collected, or skipped: ${name} (${source})`, async () => {
        const outcome = await new Promise((resolve, reject) => {
          const limits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 }
          const worker = new Worker(new URL(import.meta.url), { workerData: { input: n }, resourceLimits: limits })
          worker.once('message', resolve)
          worker.once('error', reject)
        })
        assert.match(String(outcome), /refused|\d+ rows/)
      })
    }
  })
