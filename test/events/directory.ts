/** What a follower of the changes has in the end, and what the service itself says of it. */
import assert from 'node:assert/strict'
import type { CloudEvent } from '../../src/record/events/envelope.ts'
import type { Started } from '../harness.ts'

type Thing = Record<string, unknown>
export type Directory = { user: Thing; session: Thing; key: Thing; role: Thing }

const beginnings = /\.(created|restored)$/
const endings = /\.(deleted|erased|ended|revoked)$/

/**
 * Applies events as a follower would. In a history that is whole, nothing begins twice, changes or ends before it has
 * begun: `isWhole` says to insist on that.
 */
export function replay(events: readonly CloudEvent[], { isWhole }: { isWhole: boolean }): Directory {
  const directory: Directory = { user: {}, session: {}, key: {}, role: {} }
  for (const { type, subject, data } of events) {
    const things = directory[type.split('.')[0] as keyof Directory]
    const isThere = Object.hasOwn(things, subject) // A role may be called "constructor".
    const mustBeThere = !beginnings.test(type) && type !== 'user.erased'
    if (isWhole) assert.equal(isThere, mustBeThere, `${type} of ${subject}`)
    if (endings.test(type)) delete things[subject]
    else things[subject] = data
  }
  return directory
}

export type Page = { feed_id: string; cursor: string; has_more: boolean; events: CloudEvent[] }

export async function page(app: Started, query = ''): Promise<Page> {
  const response = await app.call('GET', `/events${query}`)
  assert.equal(response.status, 200, response.text)
  return response.body
}

/** Everything behind a cursor, page by page. */
export async function follow(app: Started, { after = '0', limit = 1000 } = {}): Promise<CloudEvent[]> {
  const events: CloudEvent[] = []
  for (let cursor = after; ; ) {
    const found = await page(app, `?after=${cursor}&limit=${limit}`)
    if (found.events.length === 0) return events
    events.push(...found.events)
    cursor = found.cursor
  }
}

/** The same, as the operations for it answer. */
export async function readDirectory(app: Started): Promise<Directory> {
  const list = async (path: string): Promise<Thing[]> => {
    const response = await app.call('GET', path)
    assert.equal(response.status, 200, response.text)
    return response.body
  }
  const users = await list('/users')
  const sessions: Thing[] = []
  for (const { user_id } of users) sessions.push(...(await list(`/users/${user_id}/sessions`)))
  return {
    user: by('user_id', users),
    session: by('session_id', sessions.map(without('last_seen_at', 'device', 'current'))),
    key: by('key_id', (await list('/keys')).map(without('last_used_at', 'managed'))),
    role: by(
      'role',
      (await list('/roles')).map(({ role, permissions }) => ({ role, permissions })),
    ),
  }
}

function by(member: string, things: readonly Thing[]): Thing {
  return Object.fromEntries(things.map((thing) => [thing[member], thing]))
}

function without(...members: string[]) {
  return (thing: Thing): Thing => Object.fromEntries(Object.entries(thing).filter(([name]) => !members.includes(name)))
}
