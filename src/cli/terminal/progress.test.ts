import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { showProgress } from './progress.ts'

function written(isTTY: boolean, options = {}) {
  const lines: string[] = []
  let now = 0
  const out = { isTTY, columns: 60, write: (text: string) => lines.push(text) > 0 }
  const progress = showProgress({ label: 'Copying', ...options }, out as never, () => now)
  return { lines, progress, wait: (ms: number) => (now += ms) }
}

describe('the progress of a command', () => {
  it('is a bar on a terminal, which is overwritten, no wider than the terminal, and removed at the end', () => {
    const { lines, progress, wait } = written(true)
    for (let done = 0; done <= 5000; done += 100) {
      progress.update(done, 10_000)
      wait(20)
    }
    progress.end()
    assert.equal(lines.length, 12, 'not at each step')
    assert.equal(lines.pop(), '\r\x1b[K')
    for (const line of lines) {
      assert.ok(line.startsWith('\r') && line.endsWith('\x1b[K'))
      const text = stripVTControlCharacters(line).trim()
      assert.match(text, /^Copying [█░]{24} +\d+ % {2}/)
      assert.ok(text.length < 60)
    }
    assert.match(lines.at(-1) ?? '', /█{12}░{12} {2}50 % {2}5,000 of 10,000/)
  })

  it('is a line every ten seconds elsewhere, with the estimated time left', () => {
    const { lines, progress, wait } = written(false)
    progress.update(5000, 10_000)
    wait(9000)
    progress.update(5900, 10_000)
    wait(1000)
    progress.update(6000, 10_000)
    progress.update(6100, 10_000)
    progress.end()
    assert.deepEqual(lines, ['Copying: 6,000 of 10,000 (60 %), 40 s left\n'])
  })
  it('is a line for each tenth elsewhere if something is counted, with the rate', () => {
    const { lines, progress, wait } = written(false, { counting: 'user' })
    for (let bytes = 0; bytes <= 1000; bytes += 5) {
      progress.update(bytes, 1000, bytes * 10)
      wait(100)
    }
    progress.end()
    assert.equal(lines.length, 9)
    assert.equal(lines[0], 'Copying: 1,000 users (10 %), 500/s, 18 s left\n')
    assert.equal(lines[8], 'Copying: 9,000 users (90 %), 500/s, 2 s left\n')
  })

  it('is the count and the rate if the total is unknown', () => {
    const { lines, progress, wait } = written(true, { counting: 'user' })
    for (const done of [0, 1, 2000]) {
      progress.update(done, undefined)
      wait(1000)
    }
    assert.deepEqual(
      lines.map((line) => stripVTControlCharacters(line).trim()),
      ['Copying  0 users', 'Copying  1 user, 1.0/s', 'Copying  2,000 users, 1,000/s'],
    )
  })
})
