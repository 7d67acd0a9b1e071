/** Reads users as SCIM resources: from their rows, their documents and their groups. */

import * as groups from '../../administration/groups/service.ts'
import type { Scope } from '../../core/scope.ts'
import { readValues } from '../../directory/attributes/service.ts'
import * as documents from '../../directory/scim-documents/service.ts'
import type { User } from '../../directory/users/schema.ts'
import * as users from '../../directory/users/service.ts'
import type { Db } from '../../store/db/db.ts'
import { type StoredUser, userToScim } from '../mapping/user.ts'
import type { JsonObject } from '../protocol/json.ts'
import { versionOfUser } from './version.ts'

/** A resource with its ETag. */
export interface Versioned {
  readonly resource: JsonObject
  readonly version: string
}

type Row = { readonly user_id: string; readonly document: string; readonly version: number }

/** The resource of one user, as the row has the user now. */
export async function readUser(db: Db, scope: Scope, row: Row, base: string): Promise<Versioned> {
  const [document, memberships] = await Promise.all([
    documents.findDocument(db, row.user_id),
    groups.listGroupsOfUsers(db, scope, [row.user_id]),
  ])
  const version = versionOfUser(row.version, memberships)
  return { resource: userToScim(storedUser(row, document, memberships), base, version), version }
}

/** The resources of these users, in the given order; deleted users are left out. */
export async function readUsers(db: Db, scope: Scope, userIds: readonly string[], base: string): Promise<JsonObject[]> {
  if (userIds.length === 0) return []
  const [rows, documentOf, memberships] = await Promise.all([
    users.findDocuments(db, userIds),
    documents.findDocuments(db, userIds),
    groups.listGroupsOfUsers(db, scope, userIds),
  ])
  const groupsOf = Map.groupBy(memberships, ({ user_id }) => user_id)
  const byId = new Map(rows.map((row) => [row.user_id, row]))
  return userIds.flatMap((id) => {
    const row = byId.get(id)
    if (row === undefined) return []
    const own = groupsOf.get(id) ?? []
    return [userToScim(storedUser(row, documentOf.get(id), own), base, versionOfUser(row.version, own))]
  })
}

function storedUser(row: Row, stored: documents.KeptDocument | undefined, own: StoredUser['groups']): StoredUser {
  const user = JSON.parse(row.document) as User
  if (stored === undefined) return { user, document: {}, attributes: user.attributes, groups: own }
  // A value that the client sent and that is gone was removed here, with the attribute perhaps.
  const removed = Object.fromEntries(Object.keys(readValues(stored.attributes)).map((name) => [name, null]))
  return { user, document: JSON.parse(stored.document), attributes: { ...removed, ...user.attributes }, groups: own }
}
