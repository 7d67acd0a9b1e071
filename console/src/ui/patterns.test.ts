import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const home = new URL('../', import.meta.url)
const sources = globSync('{pages,parts}/**/*.tsx', { cwd: home }).map((name) => ({
  name,
  text: readFileSync(new URL(name, home), 'utf8'),
}))
const english = readFileSync(new URL('locales/en.po', home), 'utf8')

/** Where a pattern occurs. */
function occurrences(pattern: RegExp): string[] {
  return sources.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([found]) => `${name}: ${found}`))
}

describe('the pages have one pattern for', () => {
  it('dates in tables: how long ago, or the day for what is to come; the title has the instant', () => {
    assert.ok(occurrences(/cell: .*<Instant/g).length > 10)
    assert.deepEqual(occurrences(/cell: [^\n]*<Instant[^\n]*style="full"/g), [])
  })

  it('the actions of a row: they name the row and look alike', () => {
    assert.ok(occurrences(/<RowAction\b/g).length > 10)
    assert.deepEqual(
      occurrences(
        /<Button\n(?:(?!>\n)[^\n]*\n)*?\s+size="xs"\n(?:(?!>\n)[^\n]*\n)*?\s+aria-label=\{t`(?:Remove|Delete|Edit|Rename|End|Unlink)[^\n]*/g,
      ),
      [],
    )
  })

  it('deletion: the question names what is deleted', () => {
    const questions = [...english.matchAll(/^msgid "(Delete [^"]*\?)"$/gm)].map(([, question]) => question ?? '')
    assert.ok(questions.length > 4)
    assert.deepEqual(
      questions.filter((question) => !question.includes('{')),
      [],
    )
  })

  it('verbs: what is ours is created, what belongs to others is connected', () => {
    const verbs = occurrences(/useShortcut\('c', t`[^`]*`/g)
    assert.ok(verbs.length > 5)
    assert.deepEqual(
      verbs.filter((found) => !/`(Create|Connect|Send) /.test(found)),
      [],
    )
  })
})
