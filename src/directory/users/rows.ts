/** Computes a user's next row from input. No rules about who may change it, and no SQL. */

import { fold } from '../../lib/fold.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Context } from '../../store/context.ts'
import type { AuditEntry } from '../../store/journal-entry.ts'
import {
  attributeTexts,
  attributeTextsIn,
  changedValues,
  type Definitions,
  readValues,
  storedValues,
} from '../attributes/service.ts'
import { hasExpired } from './access-state.ts'
import { refuseMixedScripts, type UserInput } from './input.ts'
import { userChanges, userTarget } from './journal.ts'
import type { User } from './schema.ts'
import { refuseOtherKind, refuseWaysIn } from './service-accounts.ts'
import { completeRow, toUser, type UserRow } from './store.ts'

const noDefinitions: Definitions = new Map()

/** Data that an imported user brings from another system. */
export type Brought = {
  user_id?: string
  created_at?: string
  updated_at?: string
  last_login_at?: string
  must_change_password?: number
}

type Moment = Pick<Context, 'now'> & Defined & { newId(): string }

/** `isLenient`: a required attribute may be missing. */
type Defined = { definitions?: Definitions; isLenient?: boolean }

/** @throws AppError `validation_failed` for a username that mixes scripts, and for attributes that the definitions refuse */
export function newRow(ctx: Moment, input: UserInput, imported: Brought = {}): UserRow {
  const {
    username = '',
    username_key = '',
    role = 'user',
    active = true,
    attributes,
    expires_at: access_ends_at,
    ...members
  } = input
  refuseMixedScripts(username_key)
  const now = timestamp(ctx.now)
  const row = completeRow({
    ...members,
    ...(access_ends_at !== undefined && { access_ends_at }),
    user_id: imported.user_id ?? ctx.newId(),
    version: 1,
    document: '',
    username,
    username_key,
    role,
    active: Number(active),
    attributes: storedValues(
      changedValues(ctx.definitions ?? noDefinitions, { found: {}, input: attributes, isNew: !ctx.isLenient }),
    ),
    last_login_at: imported.last_login_at ?? null,
    created_at: imported.created_at ?? now,
    updated_at: imported.updated_at ?? now,
    search_text: '',
    // A user without a password could not change it.
    must_change_password: input.password_hash === undefined ? 0 : (imported.must_change_password ?? 0),
  })
  refuseWaysIn(row)
  return withDocument(row, attributeTexts(ctx.definitions ?? noDefinitions, readValues(row.attributes)))
}

/**
 * The next version of the row, or the row itself when nothing is different and `isTouched` says nothing else.
 *
 * @throws AppError `validation_failed` for another username that mixes scripts; one that a user has already stays good
 */
export function changedRow(
  ctx: Pick<Context, 'now'> & Defined,
  found: UserRow,
  input: UserInput,
  isTouched = false,
): UserRow {
  const {
    active = Boolean(found.active),
    attributes,
    expires_at: access_ends_at = found.access_ends_at,
    ...members
  } = input
  const next = { ...found, ...members, access_ends_at, active: Number(active) }
  let attributesText: string | undefined
  if (attributes !== undefined) {
    const definitions = ctx.definitions ?? noDefinitions
    const values = changedValues(definitions, { found: readValues(found.attributes), input: attributes })
    next.attributes = storedValues(values)
    attributesText = attributeTexts(definitions, values)
  }
  refuseOtherKind(found, next)
  if (next.username_key !== found.username_key) refuseMixedScripts(next.username_key)
  // A password that is not temporary also ends the duty to change it.
  if (input.password_hash !== undefined) next.must_change_password = input.must_change_password ?? 0
  if (next.email_key !== found.email_key) next.email_verified = input.email_verified ?? 0
  // Accepted, or the link has ended with the address or the account.
  if (next.password_hash !== null || next.email_key !== found.email_key || next.active === 0) next.invited = 0
  refuseWaysIn(next)
  const hasOtherEnd = next.access_ends_at !== found.access_ends_at
  // Another date that has passed as well is of the same end.
  if (hasOtherEnd && !(hasExpired(found, ctx.now) && hasExpired(next, ctx.now))) next.end_recorded = 0
  // Caches read the user again, and no access token lasts longer than the new date.
  if (hasOtherEnd || endsSessions(ctx, found, next)) next.credentials_version++
  if (isEnabledAgain(ctx, found, next)) next.enabled_at = timestamp(ctx.now)
  if (!isTouched && isSame(found, next)) return found
  next.version = found.version + 1
  next.updated_at = timestamp(ctx.now)
  return withDocument(next, attributesText)
}

/**
 * Whether the change ends the user's sessions: disabled, another role, another password, another organization, or an end date that
 * has come. Those of a user
 * who gets a later date may not be deleted yet.
 */
export function endsSessions({ now }: Pick<Context, 'now'>, found: UserRow, next: UserRow): boolean {
  const isDisabled = found.active === 1 && next.active === 0
  const isEnded = next.access_ends_at !== found.access_ends_at && (hasExpired(found, now) || hasExpired(next, now))
  const isOther = next.role !== found.role || next.password_hash !== found.password_hash
  return isDisabled || isEnded || isOther || isMoved(found, next)
}

/** Whether the change moves the user to another organization, into one, or out of one. */
export function isMoved(found: Pick<UserRow, 'organization_id'>, next: Pick<UserRow, 'organization_id'>): boolean {
  return next.organization_id !== found.organization_id
}

function isEnabledAgain({ now }: Pick<Context, 'now'>, found: UserRow, next: UserRow): boolean {
  const isEnabled = (row: UserRow) => row.active === 1 && !hasExpired(row, now)
  return !isEnabled(found) && isEnabled(next)
}

function isSame(a: UserRow, b: UserRow): boolean {
  return (Object.keys(a) as (keyof UserRow)[]).every((column) => a[column] === b[column])
}

/** The row of a deleted user. Columns that did not exist at the deletion get the value of a user without them. */
export function keptRow({ user_row, document }: { user_row: string; document: string }): UserRow {
  return completeRow({ ...columnsIn(document), ...(JSON.parse(user_row) as Omit<UserRow, 'document'>), document })
}

/**
 * Fills the columns that derive from the others. In place: copying a row of so many columns takes a microsecond or two.
 *
 * @param attributesText From `attributeTexts`; the search text keeps what it has if the attributes stay the same.
 */
export function withDocument(row: UserRow, attributesText = attributeTextsIn(row.search_text)): UserRow {
  row.search_text = searchText(row) + attributesText
  row.document = JSON.stringify(toUser(row))
  return row
}

/** Two line feeds before each field make a search for its beginning one for three characters as well. */
function searchText(row: Pick<UserRow, 'username' | 'email' | 'first_name' | 'last_name'>): string {
  const fields = [row.username, row.email ?? '', `${row.first_name} ${row.last_name}`.trim(), row.last_name]
  return fields.map((field) => (field === '' ? '' : `\n\n${fold(field)}`)).join('')
}

/** Audit details of a new user. */
export function creation(row: UserRow): AuditEntry {
  return { action: 'user.created', target: userTarget(row), changes: userChanges(undefined, row) }
}

/** Audit details of a change. */
export function changeOf(found: UserRow, next: UserRow): AuditEntry {
  const changes = userChanges(found, next)
  const { password, must_change_password: _, ...others } = changes
  const isPassword = password !== undefined && Object.keys(others).length === 0
  const target = { ...userTarget(next), former_organization_id: found.organization_id }
  return { action: isPassword ? 'user.password_set' : 'user.updated', target, changes }
}

/** The columns that an older release did not keep. It kept the document whole. */
function columnsIn(document: string): Partial<UserRow> {
  const {
    managed_by = null,
    email_verified,
    invited,
    locale = null,
    kind,
    expires_at: access_ends_at = null,
    organization_id = null,
    attributes,
  } = JSON.parse(document) as Partial<User>
  return {
    managed_by,
    email_verified: Number(email_verified ?? false),
    invited: Number(invited ?? false),
    locale,
    kind: kind ?? 'person',
    access_ends_at,
    organization_id,
    attributes: JSON.stringify(attributes ?? {}),
  }
}
