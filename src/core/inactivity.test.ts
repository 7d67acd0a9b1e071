import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Classed, courseOf, isInactivityName, isTooMany, limitOf, type Use } from './inactivity.ts'

const person: Classed = { role: 'user', group_roles: '', groups: [], kind: 'person', managed_by: null }
const limit = (days: number, notice_days = 14) => ({ days, notice_days })
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
const dayOf = (ms: number | undefined) => (ms === undefined ? undefined : (ms - Date.UTC(2026, 0, 1)) / 86_400_000)

describe('the inactivity rule', () => {
  it('names everyone, roles, groups, service accounts and managed users', () => {
    for (const name of ['*', 'contractor', 'group:Board', 'kind:service', 'managed'])
      assert.ok(isInactivityName(name), name)
    for (const name of ['', 'kind:person', 'group:', 'group:a\nb', 'Role With Blanks'])
      assert.ok(!isInactivityName(name), name)
  })

  it('gives a user the limit with the fewest days', () => {
    const rule = {
      '*': limit(90),
      contractor: limit(30),
      'group:Board': limit(365),
      'group:Temps': limit(10, 3),
      'kind:service': limit(20),
      managed: limit(40),
    }
    const table: [Partial<Classed>, number | undefined][] = [
      [{}, 90],
      [{ role: 'contractor' }, 30],
      [{ group_roles: 'contractor support' }, 30],
      [{ groups: ['Board'] }, 90],
      [{ groups: ['Board', 'TEMPS'], role: 'contractor' }, 10],
      [{ kind: 'service', role: 'contractor' }, 20],
      [{ managed_by: 'c1', role: 'contractor', groups: ['Temps'] }, 40],
      [{ managed_by: 'c1', kind: 'service' }, 40],
      [{ role: 'constructor' }, 90],
    ]
    for (const [user, days] of table)
      assert.equal(limitOf(rule, { ...person, ...user })?.days, days, JSON.stringify(user))
    assert.deepEqual(limitOf({ '*': limit(90, 7), user: limit(90, 30) }, person), limit(90, 30))
    const people = { '*': limit(90) }
    assert.equal(limitOf(people, { ...person, kind: 'service' }), undefined)
    assert.equal(limitOf(people, { ...person, managed_by: 'c1' }), undefined)
    assert.equal(limitOf({ 'kind:service': limit(9, 1), managed: limit(9, 1) }, person), undefined)
    assert.equal(limitOf({ managed: limit(9, 1) }, { ...person, role: 'managed' }), undefined)
  })

  it('tells before it disables, and starts again with each use', () => {
    const never = { last_login_at: null, last_used_at: null, enabled_at: null, noticed_at: null, notice_ends_at: null }
    type Row = [what: string, now: number, use: Partial<Use>, noticed: boolean, notice: number, disable: number]
    const table: Row[] = [
      ['from the creation', 10, {}, false, 76, 90],
      ['from the sign-in', 60, { last_login_at: day(50) }, false, 126, 140],
      ['from the later of sign-in and key', 60, { last_login_at: day(20), last_used_at: day(55) }, false, 131, 145],
      [
        'from being enabled',
        80,
        { enabled_at: day(79), noticed_at: day(76), notice_ends_at: day(90) },
        false,
        155,
        169,
      ],
      ['told in time', 80, { noticed_at: day(76), notice_ends_at: day(90) }, true, 76, 90],
      ['told late: the whole notice', 95, { noticed_at: day(86), notice_ends_at: day(100) }, true, 86, 100],
      ['overdue and not told: first told', 200, {}, false, 200, 214],
      [
        'a sign-in after the notice spares',
        85,
        { noticed_at: day(76), notice_ends_at: day(90), last_login_at: day(80) },
        false,
        156,
        170,
      ],
      [
        'a key after the notice spares',
        85,
        { noticed_at: day(76), notice_ends_at: day(90), last_used_at: day(80) },
        false,
        156,
        170,
      ],
      ['a notice of an earlier rule', 200, { noticed_at: day(-1), notice_ends_at: day(10) }, false, 200, 214],
      ['a notice from the future', 80, { noticed_at: day(300), notice_ends_at: day(314) }, false, 80, 94],
    ]
    for (const [what, now, use, ...expected] of table) {
      const found = courseOf(
        { since: day(0) },
        limit(90),
        { created_at: day(0), ...never, ...use },
        Date.parse(day(now)),
      )
      assert.deepEqual([found.isNoticed, dayOf(found.noticeMs), dayOf(found.disableMs)], expected, what)
    }
    // A stricter rule keeps the promised day, a milder one tells again.
    const noticedUse = { created_at: day(0), ...never, noticed_at: day(76), notice_ends_at: day(90) }
    const at = (days: number, notice = 14) =>
      dayOf(courseOf({ since: day(0) }, limit(days, notice), noticedUse, Date.parse(day(80))).disableMs)
    assert.deepEqual([at(60), at(90, 30), at(120)], [90, 90, 120])
  })

  it('stops at more than 5 % and more than 10', () => {
    const table: [number, number, boolean][] = [
      [10, 10, false],
      [11, 220, false],
      [11, 219, true],
      [50, 1000, false],
      [51, 1000, true],
    ]
    for (const [users, active, stops] of table) assert.equal(isTooMany(users, active), stops, `${users} of ${active}`)
  })
})
