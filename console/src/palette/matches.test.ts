import assert from 'node:assert/strict'
import { it } from 'node:test'
import { matches } from './matches.ts'

it('finds entries by the beginnings of their words, in any order, case and accent', () => {
  for (const text of ['', ' ', 'api', 'KEYS', 'k a', 'key api']) assert.equal(matches(text, 'API keys'), true, text)
  for (const text of ['eys', 'api x', 'apikeys']) assert.equal(matches(text, 'API keys'), false, text)
  assert.equal(matches('schlussel', 'API-Schlüssel'), true)
  assert.equal(matches('Schlü', 'API-Schlüssel'), true)
  assert.equal(matches('المست', 'المستخدمون'), true)
})
