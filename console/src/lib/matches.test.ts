import assert from 'node:assert/strict'
import { it } from 'node:test'
import { containsWords, matches } from './matches.ts'

it('finds entries by the beginnings of their words, in any order, case and accent', () => {
  for (const text of ['', ' ', 'api', 'KEYS', 'k a', 'key api']) assert.equal(matches(text, 'API keys'), true, text)
  for (const text of ['eys', 'api x', 'apikeys']) assert.equal(matches(text, 'API keys'), false, text)
  assert.equal(matches('schlussel', 'API-Schlüssel'), true)
  assert.equal(matches('Schlü', 'API-Schlüssel'), true)
  assert.equal(matches('المست', 'المستخدمون'), true)
})

it('finds records that contain every word, in any order, case and accent', () => {
  for (const text of ['', 'south sales', 'ALES', 'strasse, sales']) {
    assert.equal(containsWords(text, 'Sáles Südstraße South'), true, text)
  }
  for (const text of ['sales north', 'salessouth']) assert.equal(containsWords(text, 'Sáles South'), false, text)
})
