/** Serves a SCIM list. Runs on a reading thread and returns the complete body, so the main thread need not build it. */
import type { Db } from '../../store/db/db.ts'
import { compileFilterForAll } from '../filter/evaluate.ts'
import { listResponse } from '../paging/list-response.ts'
import { crossing } from '../protocol/crossing.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { compileProjection, type Projection } from '../schemas/project.ts'
import { findGroups } from './groups.ts'
import { type Found, findUsers, type UsersAsked } from './users.ts'
import { type Mark, placeOf, type Window, windowOf } from './window.ts'
import { showsAll, writeUsers } from './written.ts'

export type Listed = { body: string | Uint8Array; total: number }

/** @throws AppError that carries a ScimError */
export function find(db: Db, query: UsersAsked): Promise<Listed> {
  return crossing(async () => {
    const { projection } = query.request
    if (query.endpoint === '/Users') {
      const written = showsAll(projection) ? await writeUsers(db, query) : undefined
      if (written !== undefined) return written
      return listed(query, await findUsers(db, query), compileProjection(userDefinition, projection))
    }
    if (query.endpoint === '/Groups') {
      return listed(query, await findGroups(db, query), compileProjection(groupDefinition, projection))
    }
    return findAll(db, query)
  })
}

function listed(query: UsersAsked, found: Found, project: Projection): Listed {
  const { resources, total, window } = found
  return { body: JSON.stringify(listResponse(resources.map(project), placeOf(query, window, found))), total }
}

/** A search at the root: users first, then groups. */
async function findAll(db: Db, query: UsersAsked): Promise<Listed> {
  const { request } = query
  const definitions = [userDefinition, groupDefinition]
  if (request.filter !== undefined) compileFilterForAll(request.filter, definitions, query)
  const window = windowOf(query)
  const { users, groups } = window.place?.backwards
    ? await backwards(db, query, window)
    : await forwards(db, query, window)
  const project = [
    ...users.resources.map(compileProjection(userDefinition, request.projection)),
    ...groups.resources.map(compileProjection(groupDefinition, request.projection)),
  ]
  const total = users.total + groups.total
  const marks = [...markedAs('User', users.marks), ...markedAs('Group', groups.marks)]
  const more = users.more || groups.more
  return { body: JSON.stringify(listResponse(project, placeOf(query, window, { total, marks, more }))), total }
}

type Both = { users: Found; groups: Found }

async function forwards(db: Db, query: UsersAsked, { skipped, count, place }: Window): Promise<Both> {
  const all = { ...query, isForAll: true }
  const isPast = place?.mark?.type === 'Group'
  const users = await findUsers(db, all, isPast ? none : { skipped, count, place })
  const rest = Math.max(count - users.resources.length, 0)
  const before = Math.max(skipped - users.total, 0)
  const groups = await findGroups(db, all, { skipped: before, count: rest, place: isPast ? place : undefined })
  return { users: isPast ? { ...users, more: false } : users, groups }
}

async function backwards(db: Db, query: UsersAsked, { count, place }: Window): Promise<Both> {
  const all = { ...query, isForAll: true }
  const isAmongGroups = place?.mark?.type === 'Group'
  const groups = await findGroups(db, all, isAmongGroups ? { skipped: 0, count, place } : none)
  const rest = { skipped: 0, count: count - groups.resources.length, place: { backwards: true, mark: undefined } }
  const users = await findUsers(db, all, isAmongGroups ? rest : { skipped: 0, count, place })
  return { users, groups: isAmongGroups ? groups : { ...groups, more: false } }
}

/** Only counts. */
const none: Window = { skipped: 0, count: 0, place: undefined }

function markedAs(type: 'User' | 'Group', marks: readonly Mark[]): Mark[] {
  return marks.map((mark) => ({ ...mark, type }))
}
