import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readYaml, writeYaml } from './yaml-document.ts'

describe('YAML documents', () => {
  it('are read as data of YAML 1.2, with the places of values and names', async () => {
    const text =
      '\uFEFFversion: 1\ngroups:\n  - name: no\n    code: "007"\n    on: 2026-11-20\n    list: &all [a, b]\n    same: *all\n'
    const { value, faults, placeOf } = await readYaml(text)
    assert.deepEqual(faults, [])
    const group = { name: 'no', code: '007', on: '2026-11-20', list: ['a', 'b'], same: ['a', 'b'] }
    assert.deepEqual(value, { version: 1, groups: [group] })
    assert.deepEqual(placeOf('#/groups/0/code'), { line: 4, column: 11 })
    assert.deepEqual(placeOf('#/groups/0/code', 'name'), { line: 4, column: 5 })
    assert.equal(placeOf('#/groups/1'), undefined)
  })

  it('are refused where they are more than data, at the place, without a word of the text', async () => {
    const refused: [text: string, code: string, line: number, column: number][] = [
      ['a: !include hunter.yaml', 'tag', 1, 13],
      ['a: !!binary aHVudGVy', 'tag', 1, 13],
      ['a: 1\n<<: { b: 2 }', 'merge_key', 2, 1],
      ['%YAML 1.1\n---\na: yes', 'directive', 1, 1],
      ['a: 1\n---\nb: 2', 'malformed_yaml', 2, 1],
      ['a: $' + '{HUNTER}', 'variable', 1, 4],
      ['a: "{{ hunter }}"', 'variable', 1, 4],
      ['a: &x { b: *x }', 'anchor_unknown', 1, 12],
      ['a: *x', 'anchor_unknown', 1, 4],
      ['a: 1\na: 2', 'named_twice', 2, 1],
      ['a: .nan', 'wrong_type', 1, 4],
      ['a: "\\0"', 'control_character', 1, 4],
      ['__proto__: { a: 1 }', 'unknown_member', 1, 1],
      ['? [a]\n: b', 'name_invalid', 1, 3],
      ['a:\n\t- b', 'malformed_yaml', 2, 1],
      ['a: "hunter', 'malformed_yaml', 1, 11],
      [`a: ${'['.repeat(20)}${']'.repeat(20)}`, 'too_deep', 1, 19],
      [`a: ${'['.repeat(5000)}`, 'malformed_yaml', 1, 1],
    ]
    for (const [text, code, line, column] of refused) {
      const [fault] = (await readYaml(text)).faults
      assert.equal(fault?.code, code, text)
      if (text.length < 100) assert.deepEqual([fault?.line, fault?.column], [line, column], text)
      assert.doesNotMatch(fault?.detail ?? '', /hunter/i)
    }
    assert.deepEqual((await readYaml('pattern: "x{{2}}"')).faults, [], 'patterns have braces')
  })

  it('with anchors that multiply are refused before they fill the memory', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (let n = 98; n < 112; n++) {
      const before = String.fromCharCode(n - 1)
      lines.push(`${String.fromCharCode(n)}: &${String.fromCharCode(n)} [${Array(9).fill(`*${before}`).join(', ')}]`)
    }
    const { faults } = await readYaml(lines.join('\n'))
    assert.ok(faults.some(({ code }) => code === 'too_many' || code === 'too_many_aliases'))
    assert.equal((await readYaml(`a: [${'1,'.repeat(120_000)}]`)).faults[0]?.code, 'too_many')
  })

  it('that were written are read as the same value, and written as the same text', async () => {
    const name = fc.stringMatching(/^[a-z_]{1,8}$/).filter((one) => one !== '__proto__')
    const plain = fc.string({ unit: 'binary' }).filter((one) => !/[\0]|\$\{|\{\{/.test(one) && one.isWellFormed())
    const leaf = fc.oneof(
      plain,
      fc.boolean(),
      fc.integer(),
      fc.constant(null),
      fc.constantFrom('no', '1e3', '~', '<<', '- a', '0x1'),
    )
    const value = fc.dictionary(name, fc.oneof(leaf, fc.array(leaf), fc.dictionary(name, leaf)))
    await fc.assert(
      fc.asyncProperty(value, async (document) => {
        const text = await writeYaml(document)
        const read = await readYaml(text)
        assert.deepEqual(read.faults, [])
        assert.deepEqual(read.value, JSON.parse(JSON.stringify(document)))
        assert.equal(await writeYaml(read.value), text)
      }),
      { numRuns: process.env.CI ? 500 : 60 },
    )
  })
})
