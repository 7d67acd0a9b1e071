import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mixedScripts } from './scripts.ts'

describe('scripts in a name', () => {
  const together = [
    ...['ada', 'zoë', 'ıstanbul-1', 'ада', 'кириллица1', 'αβγ', 'שלום', 'مرحبا', 'नमस्ते', 'ᏣᎳᎩ', 'アーカイブ'],
    ...['東京tokyo', '東京タワーx', 'ㄅ東x', '서울seoul漢', 'กขabc', 'नमस्तेabc', 'l·l', 'd\u0301', '2026', ''],
  ]
  for (const text of together) it(`stand together in ${text}`, () => assert.equal(mixedScripts(text), undefined))

  const mixed: [text: string, scripts: string[]][] = [
    ['\u0430da', ['Latin', 'Cyrillic']],
    ['ad\u0430', ['Latin', 'Cyrillic']],
    ['\u0430d\u0430', ['Cyrillic', 'Latin']],
    ['αda', ['Latin', 'Greek']],
    ['αда', ['Cyrillic', 'Greek']],
    ['aᏣ', ['Latin', 'Cherokee']],
    ['\u2c81da', ['Latin', 'Coptic']],
    ['नमस्तेaব', ['Devanagari', 'Latin', 'Bengali']],
    ['한タ', ['Hangul', 'Katakana']],
  ]
  for (const [text, scripts] of mixed) {
    it(`are refused together in ${text}, by name`, () => assert.deepEqual(mixedScripts(text), scripts))
  }
})
