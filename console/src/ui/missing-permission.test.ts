import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const here = (path: string) => new URL(`../${path}`, import.meta.url)
/** What names permissions without saying that one is missing. */
const others = [
  'api-call/drawer.tsx',
  'parts/permissions/permission-texts.tsx',
  'pages/api-keys/keys-page.tsx',
  'pages/roles/roles-page.tsx',
]

describe('what a viewer lacks', () => {
  it('is said by one component: no other text of the console names a permission as missing', () => {
    const entries = readFileSync(here('locales/en.po'), 'utf8').split('\n\n')
    const found = entries.flatMap((entry) => {
      const text = [...entry.matchAll(/^(?:msgid )?"(.*)"$/gm)].map(([, line]) => line).join('')
      const places = [...entry.matchAll(/^#: (?:\.\.\/)*src\/(\S+?)(?::\d+)?$/gm)].map(([, place]) => place ?? '')
      const isOfOne = /\b(needs?|lacks?|does not have|without) the permissions?\b|\b[a-z_]+:(read|write|import)\b/.test(
        text,
      )
      return isOfOne ? places.filter((place) => !others.includes(place)).map((place) => `${place}: ${text}`) : []
    })
    assert.deepEqual(found, [])
  })

  it('never disables a button', () => {
    const names = globSync('**/*.tsx', { cwd: here('') })
    assert.ok(names.length > 100)
    const found = names.filter((name) => /disabled=\{[^}]*!?\b(may|can)[A-Z]/.test(readFileSync(here(name), 'utf8')))
    assert.deepEqual(found, [])
  })
})
