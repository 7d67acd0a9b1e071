import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeMembers, countRows, inOrder, type MemberRow, toCsv } from './member-run.ts'

const row = (name: string, result: MemberRow['result'], more: Partial<MemberRow> = {}): MemberRow => ({
  name,
  user_id: `id of ${name}`,
  result,
  ...more,
})

describe('a change of members', () => {
  it('is sent in requests of a thousand, and names the users', async () => {
    const people = Array.from({ length: 2001 }, (_, i) => ({ user_id: `id ${i}`, username: `user ${i}` }))
    const sizes: [number, number][] = []
    const rows: MemberRow[] = []
    const parts = changeMembers(people, async (ids, part) => {
      sizes.push([part, ids.length])
      return { results: ids.map((user_id) => ({ user_id, result: 'added' as const })) }
    })
    for await (const some of parts) rows.push(...some)
    assert.deepEqual(sizes, [
      [0, 1000],
      [1, 1000],
      [2, 1],
    ])
    assert.deepEqual(rows.at(-1), { user_id: 'id 2000', name: 'user 2000', result: 'added' })
  })

  it('shows refused users and unknown names first, and counts both as refused', () => {
    const rows = [row('ada', 'unchanged'), row('grace', 'added'), row('radia', 'refused'), row('nobody', 'unknown')]
    assert.deepEqual(
      inOrder(rows).map(({ name }) => name),
      ['radia', 'nobody', 'grace', 'ada'],
    )
    assert.deepEqual(countRows(rows), { changed: 1, unchanged: 1, refused: 2 })
  })

  it('is a file in which no name is a formula', async () => {
    const text = await toCsv([row('=1+1', 'refused', { code: 'last_admin', detail: 'No, "never".' })]).text()
    assert.equal(text, 'name,user_id,result,code,detail\r\n\'=1+1,id of =1+1,refused,last_admin,"No, ""never""."\r\n')
  })
})
