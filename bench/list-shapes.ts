/**
 * Every way to ask for a page of the list: searches, filters, orders, places and counts, with values that find nearly all
 * users, some, and none of those that `users.ts` makes.
 */

import { cursorAt, type Format, type ListPlan, type Position, planList } from '../src/administration/users-list/plan.ts'
import { system } from '../src/core/actor.ts'
import { scopeOf } from '../src/core/scope.ts'
import { type ListUsers, sorts } from '../src/directory/users/schema.ts'
import { randomNumbers } from './users.ts'

export type Shape = { name: string; query: ListUsers }

const searches: readonly string[] = [
  'a',
  'z',
  'zo',
  'я',
  'ann',
  'zoe',
  'son',
  'com',
  'aaa',
  'zzzq',
  'johnson',
  'Zoë',
  'Łukasz Žižek',
  'ada lovelace',
  'ann son com',
  'example.com',
  'example',
  'hopper1',
  '@mail.example.org',
  '...',
]

/** What is known of the store: a user in the middle of the list, and instants that few or many have behind them. */
export type Known = {
  ids: string[]
  username: string
  email: string
  externalId: string
  created: { early: string; middle: string; late: string }
  signedIn: { early: string; middle: string; late: string }
}

const filtersOf = ({ ids, username, email, externalId, created, signedIn }: Known): readonly ListUsers[] => [
  { role: 'user' },
  { role: 'support' },
  { role: 'admin' },
  { role: 'nobody' },
  { active: true },
  { active: false },
  { kind: 'person' },
  { kind: 'service' },
  { has_password: true },
  { has_password: false },
  { has_signed_in: true },
  { has_signed_in: false },
  { created_after: created.early },
  { created_after: created.middle },
  { created_after: created.late },
  { created_before: created.early },
  { created_before: created.middle },
  { created_before: created.late },
  { last_login_after: signedIn.early },
  { last_login_after: signedIn.middle },
  { last_login_after: signedIn.late },
  { last_login_before: signedIn.early },
  { last_login_before: signedIn.middle },
  { last_login_before: signedIn.late },
  { username },
  { email },
  { external_id: externalId },
  { user_id: ids },
]

const orders = [undefined, ...sorts.flatMap((sort) => [sort, `-${sort}`] as const)]

/** A place in the middle of each order, and near its end. */
export type Places = Map<string | undefined, Position[]>

const extrasOf = (places: readonly Position[], sort: (typeof orders)[number], users: number): ListUsers[] => [
  {},
  { count: true },
  { count: 'estimate' },
  { offset: Math.round(users / 50) },
  { offset: Math.round(users / 2) },
  { offset: Math.round(users * 0.9) },
  ...places.map((place) => ({ cursor: cursorAt({ after: place }, sort) })),
  ...places.map((place) => ({ cursor: cursorAt({ after: place }, sort), offset: Math.round(users / 20) })),
  { limit: 1000, count: true, offset: Math.round(users / 5) },
]

/** Each search and none with each filter and none, in each order, at each place; then `mixed` with several filters. */
export function* shapes(known: Known, places: Places, users: number, mixed: number): Generator<Shape> {
  const filters = [{}, ...filtersOf(known)]
  for (const q of [undefined, ...searches]) {
    for (const filter of filters) {
      for (const sort of orders) {
        for (const extra of extrasOf(places.get(sort) ?? [], sort, users)) yield shapeOf({ q, filter, sort, extra })
      }
    }
  }
  const random = randomNumbers()
  const pick = <T>(list: readonly T[]): T => list[random() % list.length] as T
  for (let i = 0; i < mixed; i++) {
    const filter: ListUsers = Object.assign({}, ...Array.from({ length: 2 + (i % 3) }, () => pick(filters)))
    const sort = pick(orders)
    const extra = pick(extrasOf(places.get(sort) ?? [], sort, users))
    yield shapeOf({ q: pick([undefined, ...searches]), filter, sort, extra })
  }
}

type Parts = { q: string | undefined; filter: ListUsers; sort: (typeof orders)[number]; extra: ListUsers }

function shapeOf({ q, filter, sort, extra }: Parts): Shape {
  const query = { limit: 50, ...(q !== undefined && { q }), ...filter, ...(sort && { sort }), ...extra }
  const words = Object.entries(query).map(([name, value]) => {
    return `${name}=${name === 'cursor' ? '…' : Array.isArray(value) ? `${value.length} ids` : value}`
  })
  return { name: words.join('&'), query }
}

export function planOf({ query }: Shape): ListPlan {
  return planList(scopeOf(system), query, 'json' satisfies Format)
}
