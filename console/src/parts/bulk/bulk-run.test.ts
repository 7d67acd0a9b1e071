import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BulkLine } from '../../../../src/sdk/client/index.ts'
import { type BulkResult, type BulkRow, type BulkState, followBulk } from './bulk-run.ts'
import { reversalOf } from './reversal.ts'

async function* said(lines: readonly BulkLine[], cut = false): AsyncGenerator<BulkLine> {
  yield* lines
  if (cut) throw new Error('cut')
}
const row = (n: number, verdict: 'changed' | 'unchanged' | 'refused', code = 'last_admin'): BulkLine => ({
  type: 'row',
  user_id: `id-${n}`,
  username: `user.${n}`,
  verdict,
  ...(verdict === 'refused' && { code, detail: 'The last one, who has to stay.' }),
})
const follow = async (lines: AsyncIterable<BulkLine>) => {
  const states: BulkState[] = []
  let cut: BulkResult | undefined
  let clock = 0
  const result = await followBulk(lines, {
    onState: (state) => states.push(state),
    onCut: (found) => {
      cut = found
    },
    now: () => (clock += 200),
  }).catch(() => undefined)
  return { result, cut, states }
}

describe('following a change for many', () => {
  it('counts rows, keeps the refused ones, and lists the changed users', async () => {
    const { result } = await follow(
      said([
        { type: 'begin', total: 4 },
        row(1, 'changed'),
        row(2, 'unchanged'),
        row(3, 'refused'),
        row(4, 'changed'),
        { type: 'end', changed: 2, unchanged: 1, refused: 1 },
      ]),
    )
    assert.ok(result)
    const { total, done, changed, unchanged, refused, refusals, changedUsers } = result
    assert.deepEqual([total, done, changed, unchanged, refused], [4, 4, 2, 1, 1])
    assert.deepEqual(
      refusals.map(({ username }) => username),
      ['user.3'],
    )
    assert.deepEqual(
      changedUsers?.map(({ user_id }) => user_id),
      ['id-1', 'id-4'],
    )
    assert.deepEqual((await result.toCsv().text()).split('\r\n'), [
      'user_id,username,verdict,code,detail',
      'id-1,user.1,changed,,',
      'id-2,user.2,unchanged,,',
      'id-3,user.3,refused,last_admin,"The last one, who has to stay."',
      'id-4,user.4,changed,,',
      '',
    ])
  })

  it("uses the server's counts if only refused rows are sent", async () => {
    const { result, states } = await follow(
      said([
        { type: 'begin', total: 900 },
        { type: 'progress', done: 400, changed: 399, unchanged: 0, refused: 1 },
        row(3, 'refused'),
        { type: 'end', changed: 899, unchanged: 0, refused: 1 },
      ]),
    )
    assert.deepEqual([result?.done, result?.changed, result?.changedUsers], [900, 899, undefined])
    assert.ok(states.some(({ done }) => done === 400))
  })

  it('counts service accounts as left out, not as refused', async () => {
    const { result } = await follow(
      said([
        { type: 'begin', total: 4 },
        row(1, 'refused', 'user_is_service_account'),
        row(2, 'refused', 'user_is_service_account'),
        row(3, 'refused', 'user_not_invitable'),
        { type: 'end', changed: 1, unchanged: 0, refused: 3 },
      ]),
    )
    assert.deepEqual([result?.leftOut, result?.refused, result?.refusals.length, result?.done], [2, 1, 1, 4])
  })

  it('lists no users if more were changed than are kept for an undo', async () => {
    const many = Array.from({ length: 100_001 }, (_, n) => row(n, 'changed'))
    const { result } = await follow(said([{ type: 'begin', total: 100_001 }, ...many]))
    assert.equal(result?.changedUsers, undefined)
    assert.equal(result?.recent.length, 5)
  })

  it('returns what was done when it is cut', async () => {
    const { result, cut } = await follow(said([{ type: 'begin', total: 3 }, row(1, 'changed')], true))
    assert.equal(result, undefined)
    assert.deepEqual([cut?.changed, cut?.total], [1, 3])
  })

  it('writes no cell that a spreadsheet would run', async () => {
    const { result } = await follow(said([{ ...(row(1, 'changed') as object), username: '=cmd()' } as BulkLine]))
    assert.match((await result?.toCsv().text()) ?? '', /,'=cmd\(\),/)
  })
})

describe('the change that undoes another', () => {
  const changed = (user_id: string, before?: BulkRow['before']): BulkRow => ({
    type: 'row',
    user_id,
    username: user_id,
    verdict: 'changed',
    ...(before && { before }),
  })

  it('is the reverse for the changed users', () => {
    const undone = reversalOf({ action: 'add_to_group', groupId: 'g', changedUsers: [changed('a'), changed('b')] })
    assert.deepEqual(undone, [{ action: 'remove_from_group', user_ids: ['a', 'b'], group_id: 'g' }])
  })

  it('gives memberships their former end dates, and leaves members whose date was set', () => {
    const before = { expires_at: '2026-12-31T23:59:59.999Z' }
    assert.deepEqual(
      reversalOf({ action: 'remove_from_group', groupId: 'g', changedUsers: [changed('a', before), changed('b')] }),
      [
        { action: 'add_to_group', user_ids: ['a'], ...before, group_id: 'g' },
        { action: 'add_to_group', user_ids: ['b'], group_id: 'g' },
      ],
    )
    const changedUsers = [changed('a', { expires_at: null }), changed('b')]
    assert.deepEqual(reversalOf({ action: 'add_to_group', groupId: 'g', changedUsers }), [
      { action: 'add_to_group', user_ids: ['a'], expires_at: null, group_id: 'g' },
      { action: 'remove_from_group', user_ids: ['b'], group_id: 'g' },
    ])
  })

  it('restores values, with one request for each former value', () => {
    const [sales, none] = [{ attributes: { department: 'Sales' } }, { attributes: { department: null } }]
    const changedUsers = [changed('a', sales), changed('b', none), changed('c', sales)]
    assert.deepEqual(reversalOf({ action: 'set_attribute', groupId: undefined, changedUsers }), [
      { action: 'set_attribute', user_ids: ['a', 'c'], ...sales },
      { action: 'set_attribute', user_ids: ['b'], ...none },
    ])
    const many = Array.from({ length: 201 }, (_, n) => changed(`u${n}`, { attributes: { seats: n } }))
    assert.equal(reversalOf({ action: 'set_attribute', groupId: undefined, changedUsers: many }), undefined)
  })
})
