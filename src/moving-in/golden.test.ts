import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type GoldenFile, golden, goldenFiles, goldenOptions } from '../../test/moving-in/files.ts'
import { type Converted, inputFrom, sources } from './index.ts'

describe('moving in', () => {
  for (const file of goldenFiles) {
    it(`makes of ${file.source}/${file.input} the rows and the report that are expected`, async () => {
      const found = await convert(file, inputFrom(golden(file.source, file.input)))
      const rows = found.flatMap((each) => ('row' in each ? [each.row] : []))
      const leftOut = found.flatMap((each) => ('leftOut' in each ? [each.leftOut] : []))
      assert.deepEqual(rows, expected(file, 'rows'))
      assert.deepEqual(leftOut, expected(file, 'left-out'))
    })

    it(`makes the same of ${file.source}/${file.input}, wherever it is cut into pieces`, async () => {
      const whole = await convert(file, inputFrom(golden(file.source, file.input)))
      for (const size of [1, 61]) {
        assert.deepEqual(await convert(file, inPieces(inputFrom(golden(file.source, file.input)), size)), whole)
      }
    })
  }
})

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
