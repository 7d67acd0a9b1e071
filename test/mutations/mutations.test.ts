import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { mutations } from './mutations.ts'

describe('the rules that are broken on purpose', () => {
  it('are where the list says, and so are the tests that find it', () => {
    for (const { name, file, from, tests } of mutations) {
      const found = existsSync(file) ? readFileSync(file, 'utf8').split(from).length - 1 : 0
      assert.equal(found, 1, `The text of the mutation "${name}" occurs ${found} times in ${file}.`)
      for (const one of tests) assert.ok(existsSync(one), `The mutation "${name}" names ${one}, which does not exist.`)
    }
    assert.equal(new Set(mutations.map(({ name }) => name)).size, mutations.length, 'each has a name of its own')
  })
})
