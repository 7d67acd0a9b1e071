import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { lineWriter } from './line-writer.ts'

describe('the line writer', () => {
  it('writes every line once and in order, however they come', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-lines-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'log')
    const fd = openSync(file, 'w')
    const writer = lineWriter(fd)
    const lines = Array.from({ length: 5003 }, (_, i) => `line ${i} é\n`)
    for (const [i, line] of lines.entries()) {
      writer.write(line)
      if (i % 700 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await new Promise((resolve) => writer.flush(resolve))
    assert.equal(readFileSync(file, 'utf8'), lines.join(''))
    await new Promise((resolve) => writer.flush(resolve))
    closeSync(fd)
  })

  it('reports to callers of flush that the file cannot be written', async (t) => {
    const fd = openSync('/dev/full', 'w')
    t.after(() => closeSync(fd))
    const writer = lineWriter(fd)
    writer.write('a line\n')
    const error = await new Promise<Error | undefined>((resolve) => writer.flush(resolve))
    assert.match(String(error), /ENOSPC/)
  })
})
