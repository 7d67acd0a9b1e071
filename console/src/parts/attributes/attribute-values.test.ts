import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Attribute } from 'rollbook/client'
import { bodyOf, changesOf, newDefinition, valuesOf } from './attribute-values.ts'

const stored: Attribute = {
  name: 'size',
  label: 'Size',
  type: 'enum',
  options: ['S', 'M'],
  required: false,
  unique: false,
  searchable: true,
  pattern: null,
  minimum: null,
  maximum: null,
  max_length: null,
  editable_by: 'user',
  in_token: false,
  in_header: false,
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
}

describe('the definition of an attribute in a form', () => {
  it('is sent with what was chosen and the type has', () => {
    const values = { ...newDefinition, name: 'size', type: 'enum' as const, options: 'S\n\n M ', pattern: 'x' }
    assert.deepEqual(bodyOf(values), { name: 'size', type: 'enum', options: ['S', 'M'], editable_by: 'admin' })
    const number = { ...newDefinition, name: 'seats', type: 'number' as const, minimum: '0', options: 'a' }
    assert.deepEqual(bodyOf(number), { name: 'seats', type: 'number', minimum: 0, editable_by: 'admin' })
  })

  it('is changed only where it was', () => {
    const values = valuesOf(stored)
    assert.deepEqual(changesOf(values, stored), {})
    assert.deepEqual(changesOf({ ...values, options: 'S\nM\nL', required: true }, stored), {
      options: ['S', 'M', 'L'],
      required: true,
    })
    assert.deepEqual(changesOf({ ...values, type: 'string', max_length: '10' }, stored), {
      type: 'string',
      options: null,
      max_length: 10,
    })
  })
})
