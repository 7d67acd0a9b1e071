import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Attribute } from 'rollbook/client'
import { textsOf, valuesOf } from './values.ts'

const define = (name: string, type: Attribute['type']) => ({ name, type }) as Attribute
const definitions = [
  define('department', 'string'),
  define('seats', 'number'),
  define('remote', 'boolean'),
  define('since', 'datetime'),
  define('tags', 'string[]'),
]
const values = { department: 'Sales', seats: 4, remote: false, since: '2026-11-20T09:30:00.000Z', tags: ['a', 'b'] }

describe('the values of attributes in a form', () => {
  it('become texts and the same values again', () => {
    const texts = textsOf(definitions, values)
    assert.deepEqual(
      [texts['attributes/seats'], texts['attributes/remote'], texts['attributes/tags']],
      ['4', 'false', 'a\nb'],
    )
    assert.deepEqual(valuesOf(definitions, texts), values)
  })

  it('are removed by an empty field, and left alone where nothing was changed', () => {
    assert.deepEqual(textsOf(definitions)['attributes/seats'], '')
    assert.deepEqual(valuesOf(definitions, { 'attributes/seats': '', 'attributes/tags': ' a \n\nc' }), {
      seats: null,
      tags: ['a', 'c'],
    })
  })

  it('are sent as typed if they are no number or instant, so that the service says what is wrong', () => {
    const wrong = valuesOf(definitions, { 'attributes/seats': 'four', 'attributes/since': 'soon' })
    assert.deepEqual(wrong, { seats: 'four', since: 'soon' })
  })
})
