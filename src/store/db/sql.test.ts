import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixedSql, rawSql, renderSql, sql } from './sql.ts'

const columns = fixedSql('a, b')
const given = (list: string) => ({ fixed: given.fixed, values: [list] })
given.fixed = ['json_each(', ') AS given']

describe('a statement with fixed pieces', () => {
  const statement = (id: number, lock = fixedSql('')) =>
    sql`SELECT ${columns} FROM ${given('[]')} WHERE id = ${id} ${lock}`

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
