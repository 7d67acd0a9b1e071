import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixedSql, rawSql, renderSql, sql, withoutNul } from './sql.ts'

const columns = fixedSql('a, b')
const withList = (list: string) => ({ fixed: withList.fixed, values: [list] })
withList.fixed = ['json_each(', ') AS given']

describe('a statement with fixed pieces', () => {
  const statement = (id: number, lock = fixedSql('')) =>
    sql`SELECT ${columns} FROM ${withList('[]')} WHERE id = ${id} ${lock}`

  it('has their text, and all values in their places', () => {
    const { text, parameters } = renderSql(statement(7), (n) => `$${n}`)
    assert.equal(text, 'SELECT a, b FROM json_each($1) AS given WHERE id = $2 ')
    assert.deepEqual(parameters, ['[]', 7])
  })

  it('keeps the same strings for the same pieces, so that it is prepared once', () => {
    const lock = fixedSql('FOR UPDATE')
    assert.equal(statement(1, lock).strings, statement(2, lock).strings)
    assert.notEqual(statement(1, lock).strings, statement(1, fixedSql('')).strings)
    assert.ok(statement(1, lock).values.every((value) => typeof value !== 'object'))
  })

  it('can be composed with other pieces', () => {
    const { text, parameters } = renderSql(sql`SELECT ${columns} ${rawSql('FROM t')} LIMIT ${1}`, () => '?')
    assert.deepEqual([text, parameters], ['SELECT a, b FROM t LIMIT ?', [1]])
  })
})

describe('the values of a statement', () => {
  it('have no NUL, in JSON neither, and are otherwise as they were', () => {
    const bytes = new Uint8Array([0])
    const texts = ['a\0b', String.raw`\u0000`, `{\0"a": "\0"}`]
    assert.deepEqual(withoutNul([...texts, 0, null, bytes]), [
      'a\ufffdb',
      String.raw`\u0000`,
      `{\ufffd"a": "\ufffd"}`,
      0,
      null,
      bytes,
    ])
    for (const value of ['a\0b', '\\\0', '\\\\\0\0', String.raw`\u0000`, String.raw`\\u0000 \0`]) {
      const [json] = withoutNul([JSON.stringify({ value, list: [value] })])
      const clean = value.replaceAll('\0', '\ufffd')
      assert.deepEqual(JSON.parse(String(json)), { value: clean, list: [clean] })
    }
  })
})
