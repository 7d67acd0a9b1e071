import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertCheap } from '../../test/processor-time.ts'
import { acceptedLanguages, directionOf, fallbacks, lookUp } from './language-tags.ts'

const available = ['en', 'de', 'ar', 'pt-BR'] as const
const choose = (header: string | undefined) => lookUp(acceptedLanguages(header), available)

describe('the choice of a language', () => {
  const cases: [header: string | undefined, chosen: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-Latn-DE-1996', 'de'],
    ['pt-BR', 'pt-BR'],
    ['pt-PT', undefined],
    ['fr, ar;q=0.5, de;q=0.8', 'de'],
    ['en;q=0.1, de;q=0.2;', 'de'],
    ['en;q=0.1,de;q=0.2', 'de'],
    ['de;q=0, en', 'en'],
    ['de;q=0', undefined],
    ['de;q=2, ar;q=0.1', 'ar'],
    ['de;q=x, ar', 'ar'],
    ['*', undefined],
    ['*, de;q=0.5', 'de'],
    ['i-klingon, x-private, de-x-own', 'de'],
    ['de;q=0.5, ar;q=0.5', 'de'],
    ['<script>, de/../en, ar', 'ar'],
    [`${'fr,'.repeat(40)}de`, undefined],
    ['-,--,de-', 'de'],
  ]
  for (const [header, chosen] of cases) {
    it(`takes ${chosen ?? 'none'} for ${JSON.stringify(header?.slice(0, 40))}`, () => {
      assert.equal(choose(header), chosen)
    })
  }

  it('shortens a tag part by part, and never ends in a single letter', () => {
    assert.deepEqual(fallbacks('zh-Hant-CN-x-own'), ['zh-Hant-CN-x-own', 'zh-Hant-CN', 'zh-Hant', 'zh'])
  })

  it('takes time in proportion to the header', () => {
    assertCheap(1000, () => {
      choose(`${'a-'.repeat(500_000)},de`)
      choose(`de${';q=0.1'.repeat(200_000)}`)
    })
  })

  it('knows which languages are written from right to left', () => {
    assert.deepEqual(['ar', 'ar-EG', 'he', 'de', 'arn'].map(directionOf), ['rtl', 'rtl', 'rtl', 'ltr', 'ltr'])
  })
})
