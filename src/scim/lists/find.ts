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
export function find(db: Db, asked: UsersAsked): Promise<Listed> {
  return crossing(async () => {
    const { projection } = asked.request
    if (asked.endpoint === '/Users') {
      const written = showsAll(projection) ? await writeUsers(db, asked) : undefined
      if (written !== undefined) return written
      return listed(asked, await findUsers(db, asked), compileProjection(userDefinition, projection))
    }
    if (asked.endpoint === '/Groups') {
      return listed(asked, await findGroups(db, asked), compileProjection(groupDefinition, projection))
    }
    return findAll(db, asked)
  })
}

function listed(asked: UsersAsked, found: Found, project: Projection): Listed {
  const { resources, total, window } = found
  return { body: JSON.stringify(listResponse(resources.map(project), placeOf(asked, window, found))), total }
}

/** A search at the root: users first, then groups. */
async function findAll(db: Db, asked: UsersAsked): Promise<Listed> {
  const { request } = asked
  const definitions = [userDefinition, groupDefinition]
  if (request.filter !== undefined) compileFilterForAll(request.filter, definitions, asked)
  const window = windowOf(asked)
  const { users, groups } = window.place?.backwards
    ? await backwards(db, asked, window)
    : await forwards(db, asked, window)
  const project = [
    ...users.resources.map(compileProjection(userDefinition, request.projection)),
    ...groups.resources.map(compileProjection(groupDefinition, request.projection)),
  ]
  const total = users.total + groups.total
  const marks = [...markedAs('User', users.marks), ...markedAs('Group', groups.marks)]
  const more = users.more || groups.more
  return { body: JSON.stringify(listResponse(project, placeOf(asked, window, { total, marks, more }))), total }
}

type Both = { users: Found; groups: Found }

async function forwards(db: Db, asked: UsersAsked, { skipped, count, place }: Window): Promise<Both> {
  const all = { ...asked, isForAll: true }
  const isPast = place?.mark?.type === 'Group'
  const users = await findUsers(db, all, isPast ? none : { skipped, count, place })
  const rest = Math.max(count - users.resources.length, 0)
  const before = Math.max(skipped - users.total, 0)
  const groups = await findGroups(db, all, { skipped: before, count: rest, place: isPast ? place : undefined })
  return { users: isPast ? { ...users, more: false } : users, groups }
}

async function backwards(db: Db, asked: UsersAsked, { count, place }: Window): Promise<Both> {
  const all = { ...asked, isForAll: true }
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
