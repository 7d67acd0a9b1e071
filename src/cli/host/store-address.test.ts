import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readPlace, showsPassword } from './store-address.ts'

const url = 'postgres://rollbook:s3cret@db.example.org:5433/product'

describe('the address of a store on the command line', () => {
  it('is a directory, a URL, or a variable or file that contains one', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'url'), `${url}\n`)
    assert.deepEqual(readPlace('--from', 'sqlite:./data', {}), { engine: 'sqlite', directory: './data' })
    const addresses = [
      readPlace('--to', url, {}),
      readPlace('--to', 'env:THE_URL', { THE_URL: url }),
      readPlace('--to', `file:${join(folder, 'url')}`, {}),
    ]
    for (const place of addresses) {
      assert.ok(place.engine === 'postgres')
      assert.deepEqual(place.address.hosts, [{ host: 'db.example.org', port: 5433 }])
      assert.deepEqual([place.address.password, place.address.database], ['s3cret', 'product'])
    }
    assert.deepEqual(readPlace('--to', 'env:DIR', { DIR: 'sqlite:data' }), { engine: 'sqlite', directory: 'data' })
  })

  it('is refused without repeating it, because it may contain a secret', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'rollbook.db'), '')
    for (const text of [
      's3cret',
      'mysql://u:s3cret@h/d',
      'postgres://u:s3cret@h:port/d',
      'postgres://u:s3cret@h/d?s3cret=1',
      'sqlite:',
      `sqlite:${join(folder, 'rollbook.db')}`,
      'env:S3CRET',
      'env:AGAIN',
    ]) {
      assert.throws(
        () => readPlace('--from', text, { AGAIN: 'env:S3CRET' }),
        (error: Error) => /^--from /.test(error.message) && !/s3cret/i.test(error.message),
        text,
      )
    }
  })

  it('reports a password only in a URL that has one', () => {
    assert.ok(showsPassword(url))
    assert.ok(showsPassword('postgresql://u:p@h,h2/d'))
    for (const text of ['postgres://u@h:5432/d', 'postgres://h:5432/d', 'env:URL', 'sqlite:./a:b@c']) {
      assert.ok(!showsPassword(text), text)
    }
  })
})
