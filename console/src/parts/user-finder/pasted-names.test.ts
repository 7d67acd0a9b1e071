import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachOnce, listIn, lookUp, lookupsOf, namesIn } from './pasted-names.ts'

const id = '01a20801-5b0e-7a1f-9c1e-3f6f0c2a7d11'

describe('pasted names', () => {
  it('are split at lines, blanks, commas and semicolons, each once', () => {
    assert.deepEqual(namesIn('ada\r\ngrace, radia;\tada\n\n'), ['ada', 'grace', 'radia'])
    assert.deepEqual(namesIn('"Ada Lovelace" <ada@example.com>; <grace@example.com>'), [
      'ada@example.com',
      'grace@example.com',
    ])
    assert.deepEqual(namesIn('Lovelace, Ada <ada@example.com>; "Hopper, Grace" <mailto:grace@example.com>\tradia'), [
      'ada@example.com',
      'grace@example.com',
      'radia',
    ])
    assert.deepEqual(namesIn('ada, Grace Hopper <grace@example.com>, "radia"\nmailto:edith@example.com'), [
      'ada',
      'grace@example.com',
      'radia',
      'edith@example.com',
    ])
    assert.deepEqual(namesIn(' \n,;'), [])
    assert.deepEqual(listIn('Lovelace, Ada'), undefined)
    assert.deepEqual(listIn('ada@example.com'), undefined)
    assert.deepEqual(listIn('ada@example.com, grace@example.com'), ['ada@example.com', 'grace@example.com'])
    assert.deepEqual(listIn('ada\tgrace'), ['ada', 'grace'])
  })

  it('are looked up as an ID or an email address where they look like one, then as a username', () => {
    assert.deepEqual(lookupsOf(id.toUpperCase()), [
      { user_id: id },
      { username: id.toUpperCase() },
      { external_id: id.toUpperCase() },
    ])
    assert.deepEqual(lookupsOf('ada@example.com'), [
      { email: 'ada@example.com' },
      { username: 'ada@example.com' },
      { external_id: 'ada@example.com' },
    ])
    assert.deepEqual(lookupsOf('ada'), [{ username: 'ada' }, { external_id: 'ada' }])
  })

  it('give each user once, and the names that no user has', async () => {
    const ada = { user_id: 'a', username: 'ada' }
    const users: Record<string, typeof ada> = { ada, 'ada@example.com': ada }
    const counts: number[] = []
    const found = await lookUp(
      ['ada@example.com', 'nobody', 'ada'],
      async (lookup) => users[Object.values(lookup)[0] as string],
      (count) => counts.push(count),
    )
    assert.deepEqual(found, { people: [ada], missing: ['nobody'] })
    assert.deepEqual(counts, [1, 2, 3])
    assert.deepEqual(eachOnce([undefined, ada, { ...ada }]), [ada])
  })

  it('fail as a whole if a lookup fails', async () => {
    const find = () => Promise.reject(new Error('unreachable'))
    await assert.rejects(lookUp(['ada'], find), { message: 'unreachable' })
  })
})
