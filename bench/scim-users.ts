/** Users as an identity provider leaves them: each with what only SCIM has, and a member of one group. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { put } from '../src/directory/scim-documents/service.ts'
import { emailKey } from '../src/lib/email-form.ts'
import { userToScim } from '../src/scim/mapping/user.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../src/scim/protocol/urns.ts'
import { openConnection } from '../src/store/db/sqlite/connection.ts'
import { copyOf, seeded } from './seed.ts'
import { ask, type Server } from './servers.ts'
import { users } from './users.ts'

const usersInGroup = 100
const commitEvery = 20_000

/** A copy of the stored users with their documents and groups; the caller removes it. */
export async function copyWithScim(count: number): Promise<string> {
  const folder = copyOf(await seeded('ours', count))
  const db = openConnection({ path: join(folder, 'rollbook.db') })
  db.exec('PRAGMA synchronous = OFF')
  db.exec('BEGIN')
  const [addGroup, addMember] = [
    db.raw.prepare(`INSERT INTO user_groups (group_id, version, name, name_key, description, member_count, created_at, updated_at)
      VALUES (?, 1, ?, ?, '', ?, ?, ?)`),
    db.raw.prepare('INSERT INTO group_members (group_id, user_id) VALUES (?, ?)'),
  ]
  let [group, i] = ['', 0]
  for (const user of users(count)) {
    const { user_id, email, created_at } = user
    if (i % usersInGroup === 0) {
      group = randomUUID()
      const size = Math.min(usersInGroup, count - i)
      addGroup.run(group, `Team ${i}`, `team ${i}`, size, created_at, created_at)
    }
    addMember.run(group, user_id)
    const document = documentOf(i, user)
    const { meta: _, ...resource } = userToScim({ user, document, attributes: {}, groups: [] }, '', '')
    await put(db, {
      user: { ...user, attributes: {} },
      version: 1,
      document: JSON.stringify(document),
      resource: JSON.stringify(resource).slice(0, -1),
      email_keys: email === null ? [] : [emailKey(email)],
    })
    if (++i % commitEvery === 0) db.exec('COMMIT; BEGIN')
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return folder
}

type Named = { email: string | null; first_name: string; last_name: string }

/** What Rollbook has no member for. */
function documentOf(i: number, { email, first_name, last_name }: Named) {
  return {
    displayName: `${first_name} ${last_name}`,
    title: 'Engineer',
    preferredLanguage: 'en-US',
    ...(email !== null && { emails: [{ value: email, type: 'work', primary: true }] }),
    phoneNumbers: [{ value: `+1 555 ${String(i).padStart(7, '0')}`, type: 'work' }],
    [enterpriseUserUrn]: { employeeNumber: String(i), department: 'Research' },
  }
}

/** The body of a POST, as an identity provider sends it. */
export function newScimUser(series: string, i: number) {
  const names = { email: `${series}.${i}@example.com`, first_name: 'Ada', last_name: `Lovelace ${i}` }
  return {
    schemas: [userUrn, enterpriseUserUrn],
    userName: names.email,
    externalId: `${series}-${i}`,
    name: { givenName: names.first_name, familyName: names.last_name },
    active: true,
    ...documentOf(i, names),
  }
}

export function patchOf(...operations: readonly object[]) {
  return { schemas: [patchOpUrn], Operations: operations }
}

export function newGroup(displayName: string, ids: readonly string[]) {
  return { schemas: [groupUrn], displayName, members: ids.map((value) => ({ value })) }
}

/** The same server, as an identity provider reaches it: with the key of a connection of its own. */
export async function scimOf(server: Server): Promise<Server> {
  const body = JSON.stringify({ name: `bench ${randomUUID()}`, profile: 'strict' })
  const made = await ask(server, '/provisioning', { method: 'POST', body })
  if (made.status !== 201) throw new Error(`The connection was refused: ${made.body}`)
  const headers = { Authorization: `Bearer ${JSON.parse(made.body).key}` }
  return { ...server, prefix: `${server.prefix}/scim/v2`, headers }
}
