/** Everything that files can describe, as it is stored now. */

import { hash } from 'node:crypto'
import { system } from '../../core/actor.ts'
import type { SectionName } from '../../core/configuration-file.ts'
import { scopeOf } from '../../core/scope.ts'
import { findUsersByNames } from '../../directory/users/service.ts'
import { PrecisError, usernameKey } from '../../lib/precis.ts'
import type { Db } from '../../store/db/db.ts'
import type { Names } from './kind.ts'
import { kinds } from './kinds/kinds.ts'
import type { SectionState } from './plan.ts'
import { listMarks } from './store.ts'

export type State = {
  sections: ReadonlyMap<SectionName, SectionState>
  names: Names
  /** Changes with every object, and not with users, memberships, counts or use. */
  etag: string
}

export async function readState(db: Db): Promise<State> {
  const marks = Map.groupBy(await listMarks(db), ({ section }) => section)
  const sections = new Map<SectionName, SectionState>()
  for (const kind of kinds) {
    sections.set(kind.section, { kind, stored: await kind.list(db), marks: marks.get(kind.section) ?? [] })
  }
  return { sections, names: await namesIn(db, sections), etag: etagOf(sections) }
}

async function namesIn(db: Db, sections: State['sections']): Promise<Names> {
  const named = (section: SectionName) => new Map(sections.get(section)?.stored.map(({ id, name }) => [id, name]))
  const ids =
    sections.get('connections')?.stored.flatMap(({ members }) => members.password_exceptions as string[]) ?? []
  const users = await findUsersByNames(db, scopeOf(system), { ...noNames, user_ids: [...new Set(ids)] })
  const [groups, organizations] = [named('groups'), named('organizations')]
  return { groups, organizations, users: new Map(users.map(({ user_id, username }) => [user_id, username])) }
}

const noNames = { user_ids: [], username_keys: [], email_keys: [], external_ids: [] }

/** Returns the ids of users by the form in which usernames are compared. */
export async function findUserIds(db: Db, usernames: readonly string[]): Promise<Map<string, string>> {
  const username_keys = [...new Set(usernames.flatMap((name) => keyOf(name) ?? []))]
  const users = await findUsersByNames(db, scopeOf(system), { ...noNames, username_keys })
  return new Map(users.map(({ user_id, username_key }) => [username_key, user_id]))
}

export function keyOf(username: string): string | undefined {
  try {
    return usernameKey(username)
  } catch (error) {
    if (error instanceof PrecisError) return undefined
    throw error
  }
}

function etagOf(sections: State['sections']): string {
  const objects = [...sections].flatMap(([section, { stored }]) =>
    stored
      .map(({ id, members, managed_by, secrets }) => [section, id, members, managed_by, secrets])
      .sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1)),
  )
  return `"${hash('sha256', JSON.stringify(objects), 'base64url').slice(0, 22)}"`
}
