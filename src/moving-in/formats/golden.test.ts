import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { type GoldenFile, golden, goldenFiles, goldenOptions } from '../../../test/moving-in/files.ts'
import { OperatorError } from '../../core/errors.ts'
import { type Converted, inputFrom, type SourceName, sourceNames, sources } from './index.ts'

describe('migrating', () => {
  for (const file of goldenFiles) {
    it(`turns ${file.source}/${file.input} into the expected rows and report`, async () => {
      const found = await convert(file, inputFrom(golden(file.source, file.input)))
      const rows = found.flatMap((each) => ('row' in each ? [each.row] : []))
      const leftOut = found.flatMap((each) => ('leftOut' in each ? [each.leftOut] : []))
      assert.deepEqual(rows, expected(file, 'rows'))
      assert.deepEqual(leftOut, expected(file, 'left-out'))
    })

    it(`turns ${file.source}/${file.input} into the same, wherever it is cut into pieces`, async () => {
      const whole = await convert(file, inputFrom(golden(file.source, file.input)))
      for (const size of [1, 61]) {
        assert.deepEqual(await convert(file, inPieces(inputFrom(golden(file.source, file.input)), size)), whole)
      }
    })
  }

  it('refuses the file of another system, whose passwords and roles would be lost', async () => {
    for (const file of goldenFiles.filter(({ source }) => !isMapped(source))) {
      for (const name of sourceNames.filter((name) => !isMapped(name) && name !== file.source)) {
        const found = Array.fromAsync(
          sources[name].read(inputFrom(golden(file.source, file.input)), { now: new Date() }),
        )
        await assert.rejects(found, OperatorError, `${file.source}/${file.input} as ${name}`)
      }
    }
  })

  it('names the system that a file comes from', async () => {
    const read = (name: SourceName, text: string) =>
      Array.fromAsync(sources[name].read(Readable.from([Buffer.from(text)]), { now: new Date() }))
    const realm = JSON.stringify({ users: [{ id: '1', username: 'ada', email: 'ada@example.com', realmRoles: [] }] })
    for (const name of ['supabase', 'lldap'] as const)
      await assert.rejects(read(name, realm), /Entry 1 \(line 1\) has "realmRoles".*--from keycloak/)
    await assert.rejects(
      read('pocketbase', 'id,email,is_staff\n1,ada@example.com,t\n'),
      /line 2 has "is_staff".*django/,
    )
    // An administrator of PocketBase can call a column as Django does.
    const found = await read('pocketbase', 'id,email,tokenKey,is_staff\npb1,ada@example.com,x,t\n')
    assert.ok(found.some((one) => 'row' in one))
  })
})

const isMapped = (source: SourceName): boolean => source === 'csv' || source === 'json'

async function convert(file: GoldenFile, input: AsyncIterable<Uint8Array>): Promise<Converted[]> {
  return await Array.fromAsync(sources[file.source].read(input, goldenOptions(file)))
}

function expected(file: GoldenFile, what: 'rows' | 'left-out'): unknown[] {
  const lines = readFileSync(golden(file.source, `${file.expected}.${what}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => JSON.parse(line))
}

async function* inPieces(input: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  for await (const bytes of input) for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
